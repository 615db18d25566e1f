// Prepares the environment of every test process, before the first import of a test.
// It must never point at a real project: Google's clients may ask nobody for credentials and touch nothing but loopback.

process.env["METADATA_SERVER_DETECTION"] = "none";
process.env["GOOGLE_CLOUD_PROJECT"] = "local-project";
process.env["SPANNER_DISABLE_BUILTIN_METRICS"] = "true";
delete process.env["GOOGLE_APPLICATION_CREDENTIALS"];

// Each worker has emulators of its own where there are enough: one Spanner emulator runs one transaction at a time.
const sets = JSON.parse(process.env["EMULATOR_SETS"] ?? "[]") as readonly Record<string, string>[];
Object.assign(process.env, sets[(Number(process.env["JEST_WORKER_ID"] ?? "1") - 1) % sets.length]);

if (process.env["SPANNER_EMULATOR_HOST"] !== undefined) {
  // Google's emulator does not know multiplexed sessions; only the emulator gets these, never production.
  process.env["GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS"] = "false";
  process.env["GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_FOR_RW"] = "false";
  process.env["GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_PARTITIONED_OPS"] = "false";
}
