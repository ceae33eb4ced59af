/** What a tool says in Slack. */
import type { Result } from "../base/errors.ts";
import type { SlackRef } from "./slack.ts";

/**
 * Failures: `not_available` (no installation), `invalid_input` (which workspace, which channel), and those of `SlackPort`;
 * `happened` is "no" when the note surely was not posted.
 */
export interface SlackNotesPort {
  /** `text` is Markdown. */
  post(note: NotePlace & { readonly text: string }): Promise<Result<PostedNote>>;
  /** A note that was posted at this moment or later, in milliseconds since the epoch; null: it is not there. */
  find(place: NotePlace & { readonly since: number }): Promise<Result<PostedNote | null>>;
}

/** Where a note goes. `team`: the id or the name of a workspace; null: the tenant has one only. */
export interface NotePlace {
  readonly team: string | null;
  /** `#name`, `name` or the id of a conversation. */
  readonly channel: string;
  /** The same on every attempt. */
  readonly key: string;
}

export interface PostedNote extends SlackRef {
  /** Where people read it; null: Slack did not say. */
  readonly permalink: string | null;
}
