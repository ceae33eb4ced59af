/** A reason not to start or not to go on, in words for the person at the console. */
export class CannotRun extends Error {
  override readonly name = "CannotRun";
}
