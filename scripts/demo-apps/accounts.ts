/** Consents and accounts of the demo apps. A store keeps them across restarts. */
import { randomUUID } from "node:crypto";
import type { DemoSubscription, DemoTrigger } from "./trigger-notes.ts";

const LINK_MS = 600_000;

export type DemoStatus = "INITIATED" | "ACTIVE" | "FAILED" | "EXPIRED" | "REVOKED";

export interface DemoConfig {
  readonly id: string;
  /** Of the key that made it; absent: the key of the server. */
  readonly project?: string;
  readonly app: string;
  readonly scheme: "OAUTH2" | "API_KEY";
  readonly isManaged: boolean;
  readonly actions: readonly string[];
}

export interface DemoAccount {
  readonly id: string;
  /** Of the key that made it; absent: the key of the server. */
  readonly project?: string;
  readonly app: string;
  /** Composio's `user_id`. */
  readonly entity: string;
  readonly config: string;
  readonly createdAt: number;
  /** Of the consent; null once it was used. */
  readonly link: { readonly token: string; readonly callbackUrl: string; readonly expiresAt: number } | null;
  readonly status: DemoStatus;
  readonly label: string | null;
}

/** All that is stored. */
export interface DemoBook {
  readonly configs: readonly DemoConfig[];
  readonly accounts: readonly DemoAccount[];
  /** Absent from an earlier release. */
  readonly triggers?: readonly DemoTrigger[];
  readonly subscription?: DemoSubscription;
}

export interface BookStore {
  /** Null: nothing is stored. */
  load(): DemoBook | null;
  save(book: DemoBook): void;
}

export interface Accounts {
  /** What the key of another project sees: its own configs and accounts alone. "": the server's. */
  inProject(project: string): Accounts;
  configs(app: string | null): readonly DemoConfig[];
  createConfig(config: Omit<DemoConfig, "id">): DemoConfig;
  forgetConfigs(): void;
  find(id: string): DemoAccount | null;
  findByLink(token: string): DemoAccount | null;
  /** Composio's default for a call that names no account. */
  findActive(app: string, entity: string): DemoAccount | null;
  begin(config: DemoConfig, entity: string, callbackUrl: string): DemoAccount;
  /** Ends a consent. Null: the person declined. */
  settle(id: string, label: string | null): void;
  setStatus(id: string, status: DemoStatus): void;
  remove(id: string): void;
  triggers(): readonly DemoTrigger[];
  putTrigger(trigger: DemoTrigger): void;
  removeTrigger(id: string): void;
  subscription(): DemoSubscription | null;
  putSubscription(subscription: DemoSubscription): void;
  /** Of every project. */
  all(): readonly DemoAccount[];
}

/** `now`: milliseconds since the epoch. */
export function openAccounts(store: BookStore | null, now: () => number): Accounts {
  let book: DemoBook = store?.load() ?? { configs: [], accounts: [] };
  const change = (changed: Partial<DemoBook>): void => {
    book = { ...book, ...changed };
    store?.save(book);
  };
  const replace = (id: string, changed: Partial<DemoAccount>): void =>
    change({ accounts: book.accounts.map((one) => (one.id === id ? { ...one, ...changed } : one)) });
  const makeId = (prefix: string): string => `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 20)}`;
  const open = (project: string): Accounts => openProject(project === "" ? {} : { project });
  const openProject = (of: Pick<DemoAccount, "project">): Accounts => ({
    inProject: open,
    configs: (app) => book.configs.filter((one) => one.project === of.project && (app === null || one.app === app)),
    createConfig(given) {
      const config = { id: makeId("ac"), ...of, ...given };
      change({ configs: [...book.configs, config] });
      return config;
    },
    forgetConfigs: () => change({ configs: [] }),
    find: (id) => book.accounts.find((one) => one.id === id && one.project === of.project) ?? null,
    findByLink: (token) => book.accounts.find(({ link }) => link !== null && link.token === token) ?? null,
    findActive: (app, entity) =>
      book.accounts.find(
        (one) => one.project === of.project && one.app === app && one.entity === entity && one.status === "ACTIVE",
      ) ?? null,
    begin({ id: config, app }, entity, callbackUrl) {
      const account: DemoAccount = {
        id: makeId("ca"),
        ...of,
        app,
        entity,
        config,
        createdAt: now(),
        link: { token: makeId("lk"), callbackUrl, expiresAt: now() + LINK_MS },
        status: "INITIATED",
        label: null,
      };
      change({ accounts: [...book.accounts, account] });
      return account;
    },
    settle: (id, label) => replace(id, { link: null, label, status: label === null ? "FAILED" : "ACTIVE" }),
    setStatus: (id, status) => replace(id, { status }),
    remove: (id) => change({ accounts: book.accounts.filter((one) => one.id !== id) }),
    triggers: () => book.triggers ?? [],
    putTrigger: (trigger) =>
      change({ triggers: [...(book.triggers ?? []).filter(({ id }) => id !== trigger.id), trigger] }),
    removeTrigger: (id) => change({ triggers: (book.triggers ?? []).filter((one) => one.id !== id) }),
    subscription: () => book.subscription ?? null,
    putSubscription: (subscription) => change({ subscription }),
    all: () => book.accounts,
  });
  return open("");
}
