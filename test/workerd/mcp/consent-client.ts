/** A browser that keeps its cookies: it goes by Otto's own page to where a person agrees, and comes back. */
import { expect } from "vitest";
import { type Answer, knock } from "../http/entry.ts";

export interface ConsentBrowser {
  visit(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends a form of Otto's own page. */
  submit(
    path: string,
    form?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** Gives the address to which Otto's page leads. */
  begin(link: string): Promise<string>;
  /** What it keeps, by names. */
  readonly cookies: Map<string, string>;
}

export function newBrowser(): ConsentBrowser {
  const cookies = new Map<string, string>();
  const ask = async (method: string, path: string, init: RequestInit): Promise<Answer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === "" ? {} : { cookie }) };
    const answer = await knock(method, path, { ...init, redirect: "manual", headers });
    keepCookies(cookies, answer);
    return answer;
  };
  const visit: ConsentBrowser["visit"] = (path, headers = {}) => ask("GET", path, { headers });
  return {
    visit,
    submit(path, form = {}, headers = { "sec-fetch-site": "same-origin" }) {
      const type = { "content-type": "application/x-www-form-urlencoded" };
      return ask("POST", path, { body: new URLSearchParams(form).toString(), headers: { ...type, ...headers } });
    },
    cookies,
    async begin(link) {
      const { pathname, search } = new URL(link);
      const page = await visit(pathname + search);
      expect(page.status, page.text).toBe(200);
      const on = await visit(linkIn(page));
      expect(on.status, on.text).toBe(303);
      return on.headers.get("location") ?? "";
    },
  };
}

function keepCookies(cookies: Map<string, string>, { headers }: Answer): void {
  for (const set of headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
    if (/max-age=0\b/i.test(set)) cookies.delete(name);
    else cookies.set(name, value);
  }
}

/** Where the page's one link leads. */
export function linkIn({ text }: Answer): string {
  return (/<a href="([^"]*)"/.exec(text)?.[1] ?? "").replaceAll("&amp;", "&");
}
