/** The tools that tests add to the catalogue: one whose effect can be looked up, one whose effect cannot, one with an account. */
import { z } from "zod";
import type { Tool } from "../../../core/tool/tool.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { defineTool, failWith } from "../../../tools/define-tool.ts";
import { noteUse } from "./account-uses.ts";

const input = z.object({ url: z.url(), before_ms: z.int().default(0), after_ms: z.int().default(0) });

/** Posts to a recorder under the call's key, and finds out there whether an earlier attempt did. */
const testSend = defineTool({
  name: "test_send",
  summary: "Post to a recorder, slowly.",
  toolbox: "test",
  category: "communication",
  permissions: ["network"],
  security: "cautious",
  effect: "probe",
  needs: ["web"],
  input,
  output: z.object({ sent: z.string() }),
  async run({ url, before_ms, after_ms }, { web, key, signal }) {
    await pause(before_ms);
    const sent = await web.request({ ...requestTo(`${url}/sent/${key}`, "POST"), signal });
    await pause(after_ms);
    return sent.ok ? { sent: "now" } : failWith(sent.error);
  },
  async probe({ url }, { web, key, signal }) {
    const reply = await web.request({ ...requestTo(`${url}/records`, "GET"), signal });
    if (!reply.ok) return { kind: "cannot_tell" };
    const happened = new TextDecoder().decode(reply.value.body).includes(`/sent/${key}`);
    return happened ? { kind: "happened", result: { sent: "before" } } : { kind: "not_happened" };
  },
  show: ({ sent }) => `Sent ${sent}.`,
  examples: [{ note: "at once", given: { url: "http://recorder.example/" } }],
});

/** Posts to a recorder, without a way to look up whether it did. */
const testPost = defineTool({
  name: "test_post",
  summary: "Post to a recorder, slowly, with nothing to look up.",
  toolbox: "test",
  category: "communication",
  permissions: ["network"],
  security: "cautious",
  effect: "once",
  needs: ["web"],
  input: input.extend({ number: z.int() }),
  output: z.object({ sent: z.string() }),
  async run({ url, before_ms, after_ms }, { web, key, signal }) {
    await pause(before_ms);
    const sent = await web.request({ ...requestTo(`${url}/posted/${key}`, "POST"), signal });
    await pause(after_ms);
    return sent.ok ? { sent: "now" } : failWith(sent.error);
  },
  show: ({ sent }) => `Sent ${sent}.`,
  examples: [{ note: "at once", given: { url: "http://recorder.example/", number: 1 } }],
});

/** Notes the account through which it acts. */
const testCrm: Tool = {
  ...defineTool({
    name: "test_crm",
    summary: "Note a text in the CRM of tests.",
    toolbox: "test",
    category: "communication",
    permissions: ["network"],
    security: "cautious",
    effect: "once",
    needs: [],
    timeoutMs: 5000,
    input: z.object({ text: z.string() }),
    output: z.object({ noted: z.string() }),
    async run({ text }, { tenant, account }) {
      noteUse(tenant, { text, account: account?.connection ?? null, consent: account?.consent ?? null });
      return { noted: text };
    },
    show: ({ noted }) => `Noted ${noted}.`,
    examples: [{ note: "a word", given: { text: "hi" } }],
  }),
  app: { app: "crm", provider: "oauth", owner: "either", scopes: [] },
};

export const TOOLS_OF_TESTS: readonly Tool[] = [...catalogue, testSend, testPost, testCrm];

function requestTo(url: string, method: string) {
  return {
    url,
    method,
    headers: [],
    body: null,
    timeoutMs: 5000,
    maxBytes: 1_000_000,
    followRedirects: false,
    allowedDomains: ["*"],
  };
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
