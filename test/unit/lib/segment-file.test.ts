/** Indexes as bytes: they come back as they were, and what cannot be read is built again. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import {
  formatSegment,
  type NamedSegment,
  parseSegment,
  SEGMENT_FORM,
} from "../../../core/lib/tool-search/segment-file.ts";
import { type SearchableTool, SegmentBuilder } from "../../../core/lib/tool-search/segment.ts";

/** Words with each kind of joint, ending and script. */
const TOOLS: readonly SearchableTool[] = [
  {
    name: "sendHTTPReplies",
    summary: "Sends the replies of running jobs, and stopped ones.",
    toolbox: "mail_app",
    category: "email.send",
    parameters: [{ name: "thread_id", description: "The id of the thread, a 検索 of messages." }],
  },
  { name: "list issues", summary: "", toolbox: "tracker", category: "issue.read issue.list", parameters: [] },
];

function compile(tools: readonly SearchableTool[]): NamedSegment {
  const builder = new SegmentBuilder(tools.length, (number) => tools[number] ?? null);
  return { names: tools.map(({ name }) => name), segment: builder.build() };
}

test("an index comes back as it was, also from the middle of a buffer, and so does an empty one", () => {
  for (const compiled of [compile(TOOLS), compile([])]) {
    const file = formatSegment(compiled);
    const inside = new Uint8Array(file.length + 7);
    inside.set(file, 5);
    for (const bytes of [file, inside.subarray(5, 5 + file.length)]) {
      const read = parseSegment(bytes);
      expect(read).toEqual(compiled);
    }
  }
});

test("bytes that are cut, longer, damaged or of another form are no index", () => {
  const file = formatSegment(compile(TOOLS));
  for (let length = 0; length < file.length; length += 1) expect(parseSegment(file.subarray(0, length))).toBeNull();
  expect(parseSegment(Uint8Array.from([...file, 0]))).toBeNull();
  expect(parseSegment(file.with(4, 0))).toBeNull();
  const form = new TextEncoder().encode(`{"form":${SEGMENT_FORM},`);
  const at = 4 + form.length - 2;
  expect(new TextDecoder().decode(file.subarray(4, 4 + form.length))).toBe(`{"form":${SEGMENT_FORM},`);
  expect(parseSegment(file.with(at, (file[at] ?? 0) + 1))).toBeNull();
});

test("terms and weights that change raise the form, so that stored indexes are not read", () => {
  const digest = createHash("sha256")
    .update(formatSegment(compile(TOOLS)))
    .digest("hex");
  expect({ form: SEGMENT_FORM, digest: digest.slice(0, 16) }).toEqual({ form: 1, digest: "b9f2a42086cc5d7f" });
});
