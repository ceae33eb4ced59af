/** People of the tour of accounts: their keys, the links with which they connect accounts, and what their tasks got. */
import { type BrowserContext, chromium, type Page as BrowserPage } from "playwright-core";
import { expect } from "vitest";
import type { PendingView, TaskView } from "../../core/task/view.ts";
import { signIn } from "../mock-servers/oauth-sign-in.ts";
import { startChromium } from "../setup/chromium.ts";
import { fetchApi } from "../setup/fetch-api.ts";
import { type Caller, untilTask } from "../setup/start-system.ts";

/** A person with a key of their own. `user` is their account at the app. */
export interface Member {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly api: Caller;
}

/** Asks for a link with the person's key. */
export async function askLink({ api }: Member, app: string): Promise<string> {
  const asked = await api.send("POST", "/v1/connections", { app });
  expect(asked.status, asked.text).toBe(201);
  return asked.json.connect_url;
}

/** Goes from a link to the last page as a browser does, which keeps cookies and sends the boxes as the page proposes them. */
export async function connectByLink(link: string, { name, user }: Pick<Member, "name" | "user">): Promise<void> {
  const visit = openVisitor();
  const page = await visit("GET", link);
  expect([page.status, page.text.includes(`you are <bdi>${name}</bdi>`)], page.text).toEqual([200, true]);
  const isChecked = page.text.includes('name="unattended" value="on" checked');
  const gone = await visit("POST", `${link}/go`, isChecked ? "unattended=on" : "");
  expect(gone.status, gone.text).toBe(303);
  const done = await visit("GET", (await signIn(gone.location, user)).href);
  expect(done.text).toContain(`as <bdi>${user}@acme.example</bdi>`);
  expect(done.status).toBe(200);
  // The same link begins nothing more.
  expect((await openVisitor()("GET", link)).status).toBe(410);
}

/** The same in a real browser, with the box that permits tasks while the person is away. */
export async function connectInChromium(link: string, { name, user }: Pick<Member, "name" | "user">): Promise<void> {
  await withChromium(async (context) => {
    const page = await context.newPage();
    await page.goto(link);
    expect(await page.getByText(`you are ${name}`).count()).toBe(1);
    await page.getByLabel("Also while I am away").check();
    await page.getByRole("button", { name: "Continue to" }).click();
    await signInToApp(page, user);
  });
}

/** Reconnects from a waiting task in the console, whose session skips the page of the link. */
export async function reconnectInConsole({ api, user }: Member, task: string): Promise<void> {
  await withChromium(async (context) => {
    const sent = { data: { key: api.key }, headers: { origin: api.url } };
    expect((await context.request.post(`${api.url}/v1/session`, sent)).status()).toBe(201);
    const page = await context.newPage();
    await page.goto(`${api.url}/tasks/${task}`);
    const opened = context.waitForEvent("page");
    await page.getByRole("button", { name: "Reconnect" }).click();
    await signInToApp(await opened, user);
  });
}

async function signInToApp(page: BrowserPage, user: string): Promise<void> {
  await page.getByRole("button", { name: `Continue as ${user}@acme.example` }).click();
  await page.getByRole("heading", { name: "Connected" }).waitFor();
  expect(await page.getByText(`as ${user}@acme.example`).count()).toBe(1);
}

async function withChromium(visit: (context: BrowserContext) => Promise<void>): Promise<void> {
  const started = await startChromium();
  try {
    const browser = await chromium.connect(started.address);
    await visit(await browser.newContext());
    await browser.close();
  } finally {
    await started.close();
  }
}

interface Page {
  readonly status: number;
  readonly text: string;
  readonly location: string;
}

function openVisitor(): (method: "GET" | "POST", url: string, form?: string) => Promise<Page> {
  const cookies = new Map<string, string>();
  return async (method, url, body) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const form = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" };
    const reply = await fetchApi(url, {
      method,
      redirect: "manual",
      headers: { ...(method === "POST" ? form : {}), ...(cookie === "" ? {} : { cookie }) },
      ...(body === undefined ? {} : { body }),
    });
    for (const set of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    return { status: reply.status, text: await reply.text(), location: reply.headers.get("location") ?? "" };
  };
}

type Pending<Kind extends PendingView["kind"]> = Extract<PendingView, { kind: Kind }>;

/** Waits until the task waits for this, and returns what it waits for. */
export async function untilPending<Kind extends PendingView["kind"]>(
  { api }: Pick<Member, "api">,
  task: string,
  kind: Kind,
): Promise<Pending<Kind>> {
  const isWanted = (one: PendingView): one is Pending<Kind> => one.kind === kind;
  const { pending } = await untilTask(api, task, (view) => view.pending.some(isWanted));
  const found = pending.find(isWanted);
  if (found === undefined) throw new Error(`the task does not wait for ${kind}`);
  return found;
}

/** The link with which a person connects the account that a task waits for. Another reader of the task sees none. */
export async function readConnectUrl(member: Member, other: Member, task: string): Promise<string> {
  const { connect_url: url } = await untilPending(member, task, "connection");
  expect((await untilPending(other, task, "connection")).connect_url).toBeNull();
  expect(url).toContain("/connect/");
  return url ?? "";
}

export async function untilCompleted({ api }: Pick<Member, "api">, task: string): Promise<TaskView> {
  const view = await untilTask(api, task, ({ ended_at: at }) => at !== null);
  expect(view, JSON.stringify(view)).toMatchObject({ status: "completed" });
  return view;
}

/** The events of a task's waits for accounts, in order. */
export async function readWaits({ api }: Pick<Member, "api">, task: string): Promise<readonly string[]> {
  const { data } = (await api.send("GET", `/v1/tasks/${task}/log`)).json as { data: readonly { type: string }[] };
  return data.map(({ type }) => type).filter((type) => type.startsWith("connection."));
}

/** The rows of a task's ledger that went through an account, as tool, owner's name, label and result. */
export async function readAccountCalls({ api }: Pick<Member, "api">, task: string): Promise<readonly unknown[]> {
  const { json } = await api.send("GET", `/v1/tasks/${task}/ledger`);
  const rows = json.data as readonly { tool: string; state: string; account: AccountOfCall | null; result?: unknown }[];
  return rows
    .filter(({ account }) => account !== null)
    .map(({ tool, state, account, result }) => {
      const text = JSON.stringify(result);
      const whose = ["Ana", "Ben"].filter(
        (name) => text.includes(`A note of ${name}`) || text.includes(`A page of ${name}`),
      );
      return [tool, state, account?.owner.name, account?.label, ...whose];
    });
}

interface AccountOfCall {
  readonly label: string | null;
  readonly owner: { readonly name?: string };
}
