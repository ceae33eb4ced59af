/** A document that cannot be read. The message is for the caller. */
export class NotReadable extends Error {
  override readonly name = "NotReadable";
}
