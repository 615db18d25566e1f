/**
 * Memorystore for Redis as the idempotency cache: the instance, a network of its own, the way into it, and its password.
 * It must never be reachable from anywhere but that network, nor be needed for a payment: the ledger guards without it.
 */
import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network/index.js";
import { RedisInstance } from "@cdktf/provider-google/lib/redis-instance/index.js";
import { SecretManagerSecret } from "@cdktf/provider-google/lib/secret-manager-secret/index.js";
import { SecretManagerSecretVersion } from "@cdktf/provider-google/lib/secret-manager-secret-version/index.js";
import { VpcAccessConnector } from "@cdktf/provider-google/lib/vpc-access-connector/index.js";
import { Construct } from "constructs";
import { environmentNames } from "../../functions/config.ts";
import { named, type Settings } from "../settings.ts";
import type { AdoptedSecret } from "./adopted-secret.ts";

/** The store, and what a function needs to reach it. */
export class MemoryStore extends Construct {
  readonly instance: RedisInstance;
  /** Variables of a function that uses it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The password: Redis makes it, and it passes through Terraform's state (docs/decisions.md). */
  readonly auth: AdoptedSecret;
  /** Full name of the connector. */
  readonly connector: string;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { projectId: project, region, memoryStore } = settings;
    const network = new ComputeNetwork(this, "network", {
      project,
      name: named(settings, NAME),
      description: "Between payments-api and its idempotency cache, and nothing else.",
      autoCreateSubnetworks: false,
    });
    this.instance = new RedisInstance(this, "instance", {
      project,
      region,
      name: named(settings, NAME),
      displayName: "Idempotency cache",
      tier: memoryStore.tier,
      memorySizeGb: memoryStore.memoryGb,
      redisVersion: "REDIS_7_2",
      authorizedNetwork: network.id,
      connectMode: "DIRECT_PEERING",
      reservedIpRange: INSTANCE_RANGE,
      authEnabled: true,
      transitEncryptionMode: "SERVER_AUTHENTICATION",
      redisConfigs: { "maxmemory-policy": EVICTION, "maxmemory-gb": String(memoryStore.memoryGb * USABLE_SHARE) },
    });
    this.connector = new VpcAccessConnector(this, "connector", {
      project,
      region,
      name: named(settings, NAME),
      network: network.name,
      ipCidrRange: CONNECTOR_RANGE,
      machineType: "e2-micro",
      // Two are the least that Google allows and carry 200 Mbit/s; a cache's answers are a kilobyte.
      minInstances: 2,
      maxInstances: 3,
    }).id;
    this.auth = new MemoryStorePassword(this, "cache-auth", settings, this.instance);
    this.environment = {
      [environmentNames.redisHost]: this.instance.host,
      [environmentNames.redisPort]: `${this.instance.port}`,
      // Public: who signs the instance's certificates. A second one stands beside it five years from now.
      [environmentNames.redisAuthorities]: this.instance.serverCaCerts.get(0).cert,
    };
  }
}

/** The name of all its parts; with the longest prefix (9) it fills the 25 letters of a connector's name. */
const NAME = "payments-cache";

/**
 * Gives up first what ends first: answers, oldest first, which the ledger gives again. Claims that are worked on live
 * longest and go last; with `noeviction` a full cache would refuse every claim, and be no cache at all.
 */
const EVICTION = "volatile-ttl";

/** Google advises to leave a fifth of the memory for buffers, and for the copy that a replica is made from. */
const USABLE_SHARE = 0.8;

/** Two ranges that cannot meet, of a network that has no others: 16 addresses for the connector, 8 for the instance. */
const CONNECTOR_RANGE = "10.8.0.0/28";
const INSTANCE_RANGE = "10.9.0.0/29";

/** The instance's password as a secret, which the function mounts like any other. */
class MemoryStorePassword extends Construct {
  readonly secret: SecretManagerSecret;
  readonly version: string;

  constructor(scope: Construct, id: string, settings: Settings, instance: RedisInstance) {
    super(scope, id);
    this.secret = new SecretManagerSecret(this, "secret", {
      secretId: named(settings, id),
      replication: { auto: {} },
      deletionProtection: false,
    });
    // A new password is a new version, and its number a new revision of the function that mounts it.
    this.version = new SecretManagerSecretVersion(this, "version", {
      secret: this.secret.id,
      secretData: instance.authString,
    }).version;
  }
}
