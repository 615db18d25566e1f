/**
 * What the flows need to send an e-mail: types only.
 * It never names a product, and never promises that a mail arrives: only that the next server took it.
 */
import type { Mail } from "../domain/receipt.ts";

/**
 * `handed_over`: the next server took it; `recorded`: it was kept where people can read it, because no server is named;
 * `refused`: the server says that there is no such receiver, so sending it again cannot help.
 */
export type MailOutcome = "handed_over" | "recorded" | "refused";

/** Hands a mail over, within `outsideEffectMs`. */
export interface Mailer {
  /**
   * @throws DomainError `store_unavailable` when the server cannot be reached, does not answer in time or has no time; then
   *   the mail may have been handed over all the same, and whoever sends it again sends the same Message-ID
   */
  send(mail: Mail): Promise<MailOutcome>;
}
