/** An event of a stream, common to all streams. */

export interface StreamEvent {
  /** Null for events that are not kept, such as `message.delta`. */
  readonly id: string | null;
  readonly event: string;
  readonly data: unknown;
}
