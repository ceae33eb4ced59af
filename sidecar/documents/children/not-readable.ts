/** A document that is not what it seems. The message is for whoever asked for it. */
export class NotReadable extends Error {
  override readonly name = "NotReadable";
}
