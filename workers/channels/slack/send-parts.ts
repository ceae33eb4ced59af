/** Sends the parts of one delivery to Slack in order; skips parts that were already sent. */
import type { SendResult } from "../../../core/channels/outbox/delivery.ts";
import { findAttachedContent } from "../../../core/channels/outbox/attached-content.ts";
import { getNoteKey, findPostedPart, type SlackPart } from "../../../core/channels/slack/plan.ts";
import type { SlackDestination } from "../../../core/channels/outbox/slack-destination.ts";
import type { OwnMessage, SlackPort, SlackRef } from "../../../core/ports/slack.ts";
import { escapeText, truncateText, splitEscaped } from "../../../core/channels/slack/escape.ts";
import { asSent, failed, type Failure, notSent, ok, type Result, isNotSent } from "../../../core/base/errors.ts";
import { toSlackMessage } from "../../../core/channels/slack/pack.ts";
import type { FilesPort } from "../../../core/ports/files.ts";
import { isPermanent, toSendResult } from "./send-result.ts";

/** A file is in memory while it is shared. */
const MAX_FILE_BYTES = 25_000_000;
const MAX_NOTE_CHARACTERS = 2_500;

/** The context of sending. `files` is null for a delivery without a sandbox. */
export interface SlackSending {
  readonly slack: SlackPort;
  readonly files: FilesPort | null;
}

export interface SlackParcel {
  readonly id: string;
  readonly place: SlackDestination;
  readonly parts: readonly SlackPart[];
  /** Milliseconds since the epoch. No part of the delivery is older. */
  readonly since: number;
  /** True if an earlier attempt may have sent some parts. */
  readonly mayBeThere: boolean;
  /** Milliseconds since the epoch. No part starts later; the next attempt sends the rest. */
  readonly until: number;
}

type Post = Extract<SlackPart, { kind: "post" }>;
type File = Extract<SlackPart, { kind: "file" }>;

/** The known destination, and the parts that were already sent. */
interface Progress {
  readonly channel: string;
  /** Null until its first message starts a thread. */
  readonly thread: string | null;
  readonly first: SlackRef | null;
  readonly own: readonly OwnMessage[];
  readonly until: number;
}

/** Never throws for an error of Slack. `ref` is the first message. */
export async function sendParts(sending: SlackSending, parcel: SlackParcel): Promise<SendResult> {
  const { parts } = parcel;
  const changed = await changeMessages(sending.slack, parts);
  if (!changed.ok) return toSendResult(changed.error, false);
  const posts = parts.filter((part) => part.kind === "post");
  const files = parts.filter((part) => part.kind === "file");
  if (posts.length === 0 && files.length === 0) return { kind: "sent", ref: changed.value };
  const found = await readProgress(sending.slack, parcel);
  if (!found.ok) return toSendResult(found.error, false);
  const posted = await postAll(sending.slack, found.value, posts);
  if (!posted.ok) return toSendResult(posted.error, !isNotSent(posted.error));
  const shared = await shareAll(sending, posted.value, files, getNoteKey(parcel.id));
  return shared.ok ? { kind: "sent", ref: toRef(posted.value.first) } : toSendResult(shared.error, true);
}

function toRef(ref: SlackRef | null): { channel: string; ts: string } | null {
  return ref === null ? null : { channel: ref.channel, ts: ref.ts };
}

/** Changes messages. A message that was deleted or cannot be edited stays as it is. */
async function changeMessages(
  slack: SlackPort,
  parts: readonly SlackPart[],
): Promise<Result<{ channel: string; ts: string } | null>> {
  let last: SlackRef | null = null;
  for (const part of parts) {
    if (part.kind !== "change") continue;
    const done = await slack.update({ ...part.ref, ...part.words });
    if (!done.ok && !(isPermanent(done.error) && done.error.code !== "forbidden")) return done;
    last = part.ref;
  }
  return ok(toRef(last));
}

async function readProgress(
  slack: SlackPort,
  { id, place, since, mayBeThere, until }: SlackParcel,
): Promise<Result<Progress>> {
  const opened = await findChannel(slack, place, mayBeThere);
  if (!opened.ok) return opened;
  const [channel, thread] = [opened.value, place.kind === "conversation" ? place.thread : null];
  const standing = { channel, thread, first: null, own: [], until };
  if (!mayBeThere) return ok(standing);
  const own = await slack.listOwnMessages({ channel, thread, since });
  if (!own.ok) return toLookupFailure(own.error);
  const root = thread === null ? own.value.find(({ key }) => key === id) : undefined;
  if (root === undefined) return ok({ ...standing, own: own.value });
  const below = await slack.listOwnMessages({ channel, thread: root.ts, since });
  return below.ok ? ok({ ...standing, own: [...own.value, ...below.value] }) : toLookupFailure(below.error);
}

/** A part that may have been sent and cannot be looked up stays unknown, so that nothing is posted twice. */
function toLookupFailure(failure: Failure): Result<never> {
  return { ok: false, error: { ...failure, cause: { kind: "lookup_failed" } } };
}

/** Slack posts to `#name`, but looks messages up by id only. */
async function findChannel(slack: SlackPort, place: SlackDestination, isLookedUp: boolean): Promise<Result<string>> {
  if (place.kind === "person") return await slack.openConversation(place.user);
  const isNamed = place.channel.startsWith("#") && isLookedUp;
  return isNamed ? await slack.findChannel(place.channel.slice(1)) : ok(place.channel);
}

async function postAll(slack: SlackPort, standing: Progress, posts: readonly Post[]): Promise<Result<Progress>> {
  let now = standing;
  for (const post of posts) {
    const ref = findPostedPart(now.own, post);
    const done = ref === null ? await postOne(slack, now, post) : ok(ref);
    // The message before this one was sent.
    if (!done.ok) return now.first === null ? done : asSent(done.error);
    const { channel, ts } = done.value;
    now = { ...now, channel, thread: now.thread ?? ts, first: now.first ?? { channel, ts } };
  }
  return ok(now);
}

async function postOne(slack: SlackPort, { channel, thread, until }: Progress, post: Post): Promise<Result<SlackRef>> {
  return checkTime(until) ?? (await slack.post({ channel, thread, ...post.words, key: post.key }));
}

/** Returns null if there is time for another part. */
function checkTime(until: number): Result<never> | null {
  if (Date.now() < until) return null;
  return notSent("timeout", "The delivery takes longer than one attempt. The rest follows.");
}

/** Shares the files. Posts a note once for a file that cannot be shared; the delivery still counts as sent. */
async function shareAll(
  sending: SlackSending,
  standing: Progress,
  files: readonly File[],
  key: string,
): Promise<Result<void>> {
  const missing: string[] = [];
  for (const file of files) {
    if (findPostedPart(standing.own, file) !== null) continue;
    const shared = checkTime(standing.until) ?? (await shareOne(sending, standing, file));
    if (shared.ok) continue;
    if (!isPermanent(shared.error)) return shared;
    missing.push(`• ${escapeText(truncateText(file.title, 200))}: ${escapeText(shared.error.message)}`);
  }
  if (missing.length === 0) return ok(undefined);
  const [note = ""] = splitEscaped(`_Not attached:_\n${missing.join("\n")}`, MAX_NOTE_CHARACTERS);
  const words = toSlackMessage([note]);
  const noted = await postAll(sending.slack, standing, [{ kind: "post", key, words }]);
  return noted.ok ? ok(undefined) : noted;
}

async function shareOne(
  { slack, files }: SlackSending,
  { channel, thread }: Progress,
  file: File,
): Promise<Result<void>> {
  const read = await readBytes(files, file);
  if (!read.ok) return read;
  if (read.value.length === 0) return failed("invalid_input", "Slack rejects empty files.");
  return await slack.upload({ channel, thread, name: file.name, title: file.title, bytes: read.value });
}

async function readBytes(files: FilesPort | null, { from }: File): Promise<Result<Uint8Array>> {
  if ("text" in from) return ok(new TextEncoder().encode(from.text));
  if (files === null) return failed("not_found", "The file was deleted.");
  const found = await findAttachedContent(files, from);
  if (!found.ok) return found;
  const { size } = found.value;
  return size > MAX_FILE_BYTES
    ? failed("too_large", `File too large: ${size} bytes`)
    : await files.readEntry(found.value);
}
