/** The port by which a tool posts to Slack. */
import type { Result } from "../base/errors.ts";
import type { SlackRef } from "./slack.ts";

/**
 * Failures: `not_available` (no installation), `invalid_input` (an ambiguous workspace or channel), and those of
 * `SlackPort`; `happened` is "no" when the note was not posted.
 */
export interface SlackNotesPort {
  /** `text` is Markdown. */
  post(note: NoteDestination & { readonly text: string }): Promise<Result<PostedNote>>;
  /** Finds a note that was posted at this time or later, in milliseconds since the epoch; null if none. */
  find(place: NoteDestination & { readonly since: number }): Promise<Result<PostedNote | null>>;
}

/** The destination of a note. `team`: the id or the name of a workspace; null if the tenant has only one. */
export interface NoteDestination {
  readonly team: string | null;
  /** `#name`, `name` or the id of a conversation. */
  readonly channel: string;
  /** The same on every attempt. */
  readonly key: string;
}

export interface PostedNote extends SlackRef {
  /** The URL of the note; null if unknown. */
  readonly permalink: string | null;
}
