/** For whom the tasks of a hook act after a change. */
import { expect, test } from "vitest";
import { changeHookCaller } from "../../../../core/channels/webhooks/hook-caller.ts";
import { type HookConfig, hookConfigSchema } from "../../../../core/channels/webhooks/hook.ts";

const ANA = "per_ana";
const BEN = "per_ben";
const rule: HookConfig = hookConfigSchema.parse({ name: "a", type: "github", agent: "mailer", prompt: "Read {{a}}." });

const changed = (more: Partial<HookConfig>, by: string | null, hasSecret = false) =>
  changeHookCaller(ANA, undefined, { before: rule, after: { ...rule, ...more }, hasSecret, by });

test.each<[Partial<HookConfig>]>([
  [{ agent: "other" }],
  [{ project: "sales" }],
  [{ prompt: "Send {{a}}." }],
  [{ events: ["push"] }],
  [{ deliver: [{ channel: "email", to: "ben@acme.example" }] }],
])("others who change %j end it, and its person does not", (more) => {
  expect([changed(more, BEN), changed(more, null), changed(more, ANA)]).toEqual([null, null, ANA]);
});

test("others who give another secret end it", () => {
  expect([changed({}, BEN, true), changed({}, null, true), changed({}, ANA, true)]).toEqual([null, null, ANA]);
});

test.each<[Partial<HookConfig>]>([[{}], [{ name: "b" }], [{ enabled: false }], [{ budget: { max_steps: 3 } }]])(
  "others may change %j",
  (more) => {
    expect(changed(more, BEN)).toBe(ANA);
  },
);

test("who says me takes it over, and null ends it", () => {
  const change = { before: rule, after: rule, hasSecret: false, by: BEN };
  expect(changeHookCaller(ANA, "me", change)).toBe(BEN);
  expect(changeHookCaller(ANA, null, change)).toBeNull();
  expect(changeHookCaller(null, undefined, change)).toBeNull();
  expect(changeHookCaller(ANA, "me", { ...change, by: null })).toBeNull();
});
