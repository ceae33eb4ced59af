/** An event of a stream, whoever reads it. */

export interface StreamEvent {
  /** Null for events that are not kept, such as `message.delta`. */
  readonly id: string | null;
  readonly event: string;
  readonly data: unknown;
}
