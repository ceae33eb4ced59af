/** A link of an uploaded document counts as read, where a tool gives the document as it is. */
import { expect, test } from "vitest";
import { buildToolset } from "../../../core/steps/toolset.ts";
import { readGround } from "../../../core/steps/read-ground.ts";
import type { LabelledMessage } from "../../../core/model/messages.ts";
import { findCopiedRecord, isKnownLink } from "../../../core/provenance/ground.ts";
import { OUTSIDE, PRINCIPAL } from "../../../core/provenance/label.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { factsOf } from "../task/world.ts";

const LINK = new URL("https://works.example/portfolio");
const CV = `A CV. Works: ${LINK.href} and a long confidential sentence.`;

/** What counts after a call of this tool gave the document; with `more`, the whole result is read again. */
async function groundAfter(name: string, isUpload: boolean, more: readonly LabelledMessage[] = []) {
  const facts = factsOf({ tools: [] });
  const toolset = await buildToolset(catalogue, facts);
  const asked = { id: "call_1", name, arguments: '{"path":"cv.txt"}' };
  const result = { role: "tool", callId: asked.id, name, content: CV, label: OUTSIDE } as const;
  const messages: LabelledMessage[] = [
    { role: "user", content: "Look at cv.txt.", label: PRINCIPAL },
    { role: "assistant", content: "", calls: [asked], label: PRINCIPAL },
    { ...result, ...(isUpload ? { isUpload: true } : {}) },
    ...more,
  ];
  return readGround({ label: OUTSIDE, messages }, { facts, toolset });
}

test.each([
  ["read_file", true, true],
  ["fs_read", true, true],
  ["read_document", true, true],
  ["read_file", false, false],
  ["run_command", true, false],
  ["grep", true, false],
])("a link in what %s read, an upload: %j, is known: %j", async (name, isUpload, isKnown) => {
  const ground = await groundAfter(name, isUpload);
  expect(isKnownLink(LINK, ground)).toBe(isKnown);
  expect(isKnownLink(new URL(`${LINK.href}?d=1`), ground)).toBe(false);
  expect(findCopiedRecord("about a long confidential sentence", ground)).not.toBeNull();
});

test("a link in the rest of a long upload, which expand_result reads, is known", async () => {
  const again = { id: "call_2", name: "expand_result", arguments: '{"result_id":"call_1"}' };
  const rest = new URL("https://works.example/last-page");
  const more = (content: string): LabelledMessage[] => [
    { role: "assistant", content: "", calls: [again], label: OUTSIDE },
    { role: "tool", callId: again.id, name: again.name, content, label: OUTSIDE },
  ];
  expect(isKnownLink(rest, await groundAfter("read_document", true, more(rest.href)))).toBe(true);
  expect(isKnownLink(rest, await groundAfter("read_document", false, more(rest.href)))).toBe(false);
});
