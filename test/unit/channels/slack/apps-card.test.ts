/** Accounts of apps in Slack: the list, the link, and the button that reads back what was rendered. */
import { expect, test } from "vitest";
import {
  type ListedApp,
  readConnectClick,
  renderAppsCard,
  renderConnectCard,
  renderConnectLink,
} from "../../../../core/channels/slack/apps-card.ts";
import { planDelivery } from "../../../../core/channels/slack/plan.ts";
import type { Delivery } from "../../../../core/channels/outbox/delivery.ts";
import { outMessage } from "../../../setup/out-message.ts";

const listed = (more: Partial<ListedApp> = {}): ListedApp => {
  return { app: "crm", title: "Crm", state: "active", isShared: false, label: null, canConnect: true, ...more };
};

interface Button {
  readonly action_id: string;
  readonly value: string;
}

const buttonsOf = (blocks: readonly object[]): readonly Button[] =>
  (blocks as readonly { readonly accessory?: Button; readonly elements?: readonly Button[] }[]).flatMap(
    ({ accessory, elements = [] }) => (accessory === undefined ? elements : [accessory]),
  );

test.each<[Partial<ListedApp>, string, boolean]>([
  [{ label: "ana@acme.example" }, "*Crm*: ana@acme.example, connected", false],
  [{ isShared: true, label: "office" }, "*Crm*: office, connected (shared)", false],
  [{ state: "missing" }, "*Crm*: not connected", true],
  [{ state: "missing", isShared: true, canConnect: false }, "*Crm*: not connected", false],
  [{ state: "expired", label: "a" }, "*Crm*: a, expired", true],
  [{ title: "<!channel>*", label: "<@U1>" }, "*&lt;!channel&gt;*: &lt;@U1&gt;, connected", false],
])("an app %j is listed as %j", (more, text, hasButton) => {
  const { blocks } = renderAppsCard([listed(more)]);
  expect(JSON.stringify(blocks)).toContain(JSON.stringify(text).slice(1, -1));
  const [button] = buttonsOf(blocks);
  expect(button === undefined ? null : readConnectClick(button.action_id, button.value)).toEqual(
    hasButton ? { app: "crm" } : null,
  );
});

test("a long list fits a message", () => {
  const { blocks } = renderAppsCard(Array.from({ length: 200 }, () => listed({ state: "missing" })));
  expect(blocks.length).toBeLessThanOrEqual(50);
  expect(JSON.stringify(blocks.at(-1))).toContain("155 more");
});

test("the notification of a link does not contain it", () => {
  const { text, blocks } = renderConnectLink("A | B", "https://otto.example/connect/t");
  expect(text).toBe("Connect A B");
  expect(JSON.stringify(blocks)).toContain("<https://otto.example/connect/t|Connect A B>");
});

test("a message about an account has a button, and no link", () => {
  const content = { ...outMessage({ text: "Otto needs your account." }), connect: { app: "crm" } };
  const delivery = { id: "dlv_1", to: "T1/U1", kind: "notification", refs: [], content } as unknown as Delivery;
  const [part] = planDelivery(delivery, { refs: {} });
  if (part?.kind !== "post") throw new Error("nothing is posted");
  const [button] = buttonsOf(part.words.blocks);
  expect(readConnectClick(button?.action_id ?? "", button?.value ?? "")).toEqual({ app: "crm" });
  expect(part.words).toEqual(renderConnectCard({ text: "Otto needs your account." }, { app: "crm" }));
});

test.each([
  ["otto:approve", '{"app":"crm"}'],
  ["otto:connect_app", '{"app":7}'],
  ["otto:connect_app", '{"app":"crm","person":"per_1"}'],
  ["otto:connect_app", "crm"],
])("a foreign click is ignored: %s %s", (action, value) => {
  expect(readConnectClick(action, value)).toBeNull();
});
