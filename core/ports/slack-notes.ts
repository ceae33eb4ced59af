/** What a tool says in Slack. */
import type { Result } from "../base/errors.ts";
import type { NotePlace, PostedNote } from "../channels/slack/notes.ts";

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
