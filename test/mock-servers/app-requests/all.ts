/**
 * Requests in people's words to the demo apps, and the actions that each needs. They were written before any search was
 * measured on them, and are not changed to suit one.
 */
import { DEVELOPERS, MARKETING, PEOPLE_TEAM, SALES, SHOPS, SUPPORT, WHOLE_CATALOGUE } from "./companies.ts";
import { LATER_COMPANIES, LATER_OFFICE } from "./later.ts";
import { OFFICE } from "./office.ts";

/** The requests of one person. */
export interface PlainRequests {
  /** Names of the apps that the person may use, separated by white space; empty: all apps of the catalogue. */
  readonly apps: string;
  /** One a line: `request = ACTION`. ` & ` joins actions that are all needed, ` | ` those that can replace each other. */
  readonly requests: string;
}

/** A request, and the actions that it needs: one of each group. */
export interface PlainRequest {
  /** Of whom it is, such as `office`. */
  readonly by: string;
  readonly text: string;
  /** Empty: all apps of the catalogue. */
  readonly apps: readonly string[];
  readonly groups: readonly (readonly string[])[];
}

const PEOPLE: Readonly<Record<string, PlainRequests>> = {
  office: OFFICE,
  developers: DEVELOPERS,
  sales: SALES,
  support: SUPPORT,
  shops: SHOPS,
  marketing: MARKETING,
  "people team": PEOPLE_TEAM,
  "whole catalogue": WHOLE_CATALOGUE,
  "office, later": LATER_OFFICE,
  "companies, later": LATER_COMPANIES,
};

/** All requests. */
export const PLAIN_APP_REQUESTS: readonly PlainRequest[] = Object.entries(PEOPLE).flatMap(([by, { apps, requests }]) =>
  requests
    .trim()
    .split("\n")
    .map((line): PlainRequest => {
      const [text = "", wanted = ""] = line.trim().split(" = ");
      const groups = wanted.split(" & ").map((group) => group.split(" | "));
      return { by, text, apps: apps.split(/\s+/).filter((app) => app !== ""), groups };
    }),
);

/** The action, and how the catalogue may call it instead: some names have an ending that makes them too long for a model. */
export function toActionNames(action: string): readonly string[] {
  return [action, `${action}_AND_RETURN_ALL_RELATED_RESOURCES_INCLUDING_ARCHIVED_ONES`];
}
