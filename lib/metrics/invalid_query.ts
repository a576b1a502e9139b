/** A question about metrics that has no answer; the message is a sentence for whoever asked. */
export class InvalidQuery extends Error {
  override name = "InvalidQuery";
}
