/** The pages of what comes and goes, with much and with hostile things in them: on a desk and on a phone, in both themes. */
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { until } from "../drill/started-system.ts";
import { SlackClient } from "../mock-servers/slack-client.ts";
import {
  type Console,
  DESKTOP,
  expectAccessible,
  expectNoSidewaysScrolling,
  openConsole,
  PATIENT,
  PHONE,
  takePicture,
} from "./open-console.ts";

/** Marks the window that runs it. */
const RUN = "top.isTaken=1";
const TURN = "\u202e";
const HOSTILE = `<img src=x onerror=${RUN}> <script>${RUN}</script> ${TURN}gpj.exe`;
const LONG_HOST = `${"a-very-long-host-name.".repeat(5)}example.com`;

let console: Console;

beforeAll(async () => {
  console = await openConsole("Filled");
  const { api, agent, recorderUrl } = console;
  // Before the task, so that it gets the task's end.
  await api.must("POST", "/v1/webhooks", { url: `${recorderUrl}/filled`, events: ["*"], description: HOSTILE });
  const mail = { to: "ana@acme.example", subject: HOSTILE, body: `<h1>${HOSTILE}</h1>\n[press](javascript:${RUN})` };
  await api.must("POST", "/v1/tools/send_email/call", { agent, arguments: mail });
  const task = await console.makeTask(HOSTILE, [{ text: HOSTILE, usage: { input: 90_000, output: 4_000 } }], {
    project: "a-project-whose-name-is-as-long-as-any-can-be-on-this-page",
    deliver: [{ channel: "email", to: "ana@acme.example" }],
  });
  await api.must("POST", "/v1/secrets", { name: "A_SECRET_WITH_A_LONG_NAME", value: "12345678", hosts: [LONG_HOST] });
  await api.must("PUT", "/v1/budgets/tenant", { max_tokens: 100_000, max_cost_usd: 5, period: "month" });
  await api.must("PUT", `/v1/budgets/${agent}`, { max_tokens: 90_000, max_cost_usd: null, period: "day" });
  const { token } = await new SlackClient(inject("console").slackUrl, "T0FILLED").make({ name: HOSTILE });
  await api.must("POST", "/v1/slack/installs", { bot_token: token });
  const key = await api.must<{ key: string }>("POST", "/v1/keys", {
    name: HOSTILE,
    scopes: ["tasks:read"],
    person: (await api.must<{ id: string }>("POST", "/v1/people", { name: `Person ${HOSTILE}`.slice(0, 200) })).id,
  });
  await api.must("POST", "/v1/session", { key: key.key });
  const areSent = async (): Promise<boolean> => {
    const { data } = await api.must<{ data: { channel: string; state: string }[] }>(
      "GET",
      `/v1/deliveries?task=${task}`,
    );
    return ["email", "webhook"].every((wanted) =>
      data.some(({ channel, state }) => channel === wanted && state === "sent"),
    );
  };
  await until(areSent, 40_000, () => "the mail or the webhook was not sent", 100);
});

afterAll(async () => {
  await console?.close();
});

test.each([
  ["/slack", "gpj.exe"],
  ["/mail", "gpj.exe"],
  ["/secrets", "A_SECRET_WITH_A_LONG_NAME"],
  ["/deliveries", "/filled"],
  ["/usage?measure=tokens", "94K"],
  ["/limits", "The whole tenant"],
  ["/keys", "This browser"],
])("%s with much content fits, is accessible, and runs no script from it", async (path, shown) => {
  const { page } = console;
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: "dark" });
  await console.open(path);
  await page.locator("main").getByText(shown).first().waitFor();
  const loading = page.locator('[role="status"][aria-label^="Loading"]');
  await expect.poll(async () => await loading.count(), PATIENT).toBe(0);
  for (const folded of await page.locator("main details > summary").all()) await folded.click();
  for (const [look, theme, size] of [
    ["phone", "dark", PHONE],
    ["desk", "light", DESKTOP],
  ] as const) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: theme });
    await takePicture(page, `filled${path.replaceAll(/\W/g, "-")}-${look}-${theme}`);
    await expectNoSidewaysScrolling(page);
    await expectAccessible(page);
  }
  expect(await page.evaluate("top.isTaken")).toBeUndefined();
  expect(await page.locator("main").textContent()).not.toContain(TURN);
});
