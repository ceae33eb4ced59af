import { expect, test } from "vitest";
import { linearPatterns } from "../../adapters/re2/patterns.ts";
import { openToolBus } from "../../core/steps/tool-bus.ts";
import { formatToolPage } from "../../core/steps/tool-page.ts";
import { catalogue } from "../../tools/catalogue.generated.ts";

/** With `-u` this writes the page. */
test("docs/tools.md says what every built-in tool takes and gives", async () => {
  const none = async () => {
    throw new Error("nothing is called for a page");
  };
  const acts = { call: none, reload: none, register: none };
  const bus = await openToolBus({ tools: catalogue, patterns: linearPatterns, acts });
  await expect(formatToolPage(bus.list())).toMatchFileSnapshot("../../docs/tools.md");
});
