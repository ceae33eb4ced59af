/** Faults that a test switches on, and what the server noted. A server that `npm start` runs has none of it. */

import type { DemoSubscription, DemoTrigger } from "./trigger-notes.ts";

/**
 * `hang` and `cut` come after the effect, as do `unsuccessful` ones; the others before it. The app itself sends `refused` and
 * `app_limited`, which the log has.
 */
export type CallFault = "rate_limited" | "error" | "refused" | "app_limited" | "unsuccessful" | "hang" | "cut";
/** Before the effect, as of settings, links and accounts. */
export type AccountFault = "rate_limited" | "error" | "hang";
/**
 * Of files: the request for an upload, the PUT of the bytes, the link in a result, and the GET of it. `private`: an address that
 * egress must not reach.
 */
export type FileFault =
  | `upload_${"refused" | "limited" | "private"}`
  | `put_${"forbidden" | "digest" | "hang"}`
  | `get_${"private" | "expired" | "redirect" | "oversize" | "hang"}`;
/** What an address of a logo gives instead. `private`: a redirect to an address that egress must not reach. */
export type LogoFault = "script" | "page" | "oversize" | "private" | "error" | "hang";
export type ListingFault = "rate_limited" | "error" | "looping_cursor" | "unreadable";

/** A fault of the next requests. `action`: only those that call it. */
interface Times<Fault> {
  readonly fault: Fault;
  readonly times: number;
  readonly action?: string;
}

/** `of`: only those whose address or body has this text, such as the id of an account or its owner. */
interface AccountFaults {
  readonly fault: AccountFault;
  readonly times: number;
  readonly of: string;
}

/** What `POST /control` changes; a field that is absent stays. */
export interface DemoOrders {
  readonly calls?: Times<CallFault> | null;
  readonly listings?: Times<ListingFault> | null;
  readonly accounts?: AccountFaults | null;
  readonly files?: { readonly fault: FileFault; readonly times: number } | null;
  /** By the name of the app. */
  readonly logos?: Readonly<Record<string, LogoFault>>;
  /** Lists an action of an app that no listing of apps has. */
  readonly orphan?: boolean;
  /** Apps that are not listed any more. */
  readonly vanished?: readonly string[];
  /** Apps with a new version. */
  readonly changed?: readonly string[];
  /** Ends the access of an account; `*`: of all. */
  readonly expire?: string;
  /** Forgets the settings of consents. */
  readonly forgetConfigs?: boolean;
  /** Refuses this key of a project of its own; null: none. */
  readonly refuseKey?: string | null;
  /** What the log of executions has. */
  readonly log?: "whole" | "without_payloads" | "without_request_ids" | "absent";
}

/** An action that was carried out. */
export interface DemoEffect {
  readonly action: string;
  readonly account: string | null;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;
}

/** An account, without its consent. */
interface DemoAccountNote {
  readonly id: string;
  readonly app: string;
  readonly entity: string;
  readonly status: string;
  /** The key of its project; absent: the server's. */
  readonly project?: string;
}

export interface DemoSnapshot {
  /** `GET /api/v3.1/toolkits?limit=1000`, in their order. */
  readonly requests: readonly string[];
  readonly effects: readonly DemoEffect[];
  readonly accounts: readonly DemoAccountNote[];
  readonly triggers: readonly DemoTrigger[];
  readonly subscription: DemoSubscription | null;
}

/** The present faults and notes. */
export interface Faults {
  orders: Omit<DemoOrders, "expire" | "forgetConfigs">;
  readonly requests: string[];
  readonly effects: DemoEffect[];
  /** Whether tests may change and read this. */
  readonly isControlled: boolean;
}

export function openFaults(isControlled: boolean): Faults {
  return { orders: {}, requests: [], effects: [], isControlled };
}

/** The fault of this request, which counts as one of its times; null without one. */
export function takeFault(faults: Faults, kind: "calls", action: string): CallFault | null;
export function takeFault(faults: Faults, kind: "listings"): ListingFault | null;
export function takeFault(
  faults: Faults,
  kind: "calls" | "listings",
  action?: string,
): CallFault | ListingFault | null {
  const present = faults.orders[kind];
  if (present == null || present.times < 1) return null;
  if (present.action !== undefined && present.action !== action) return null;
  faults.orders = { ...faults.orders, [kind]: { ...present, times: present.times - 1 } };
  return present.fault;
}

/** The fault of a request about a file, if it is one of these, in the same way. */
export function takeFileFault(faults: Faults, among: readonly FileFault[]): FileFault | null {
  const present = faults.orders.files;
  if (present == null || present.times < 1 || !among.includes(present.fault)) return null;
  faults.orders = { ...faults.orders, files: { ...present, times: present.times - 1 } };
  return present.fault;
}

/** The fault of a request about a setting, a link or an account, in the same way. `text`: its address and its body. */
export function takeAccountFault(faults: Faults, text: string): AccountFault | null {
  const present = faults.orders.accounts;
  if (present == null || present.times < 1 || !text.includes(present.of)) return null;
  faults.orders = { ...faults.orders, accounts: { ...present, times: present.times - 1 } };
  return present.fault;
}
