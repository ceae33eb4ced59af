/** The routes of schedules, with what another tenant gets for them. */
import type { Case } from "./tenancy-cases.ts";

/** A schedule that is never due while the tests run. */
export function scheduleNamed(name: string) {
  return { name, when: { kind: "cron", expression: "0 0 29 2 *" }, task: { input: name } };
}

const path = (rest: string): Case["path"] => {
  return ({ schedule }) => `/v1/schedules/${schedule}${rest}`;
};

export const SCHEDULE_CASES: readonly Case[] = [
  { route: "GET /v1/schedules", path: () => "/v1/schedules", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/schedules",
    path: () => "/v1/schedules",
    body: ({ agent }) => ({ ...scheduleNamed("another"), task: { input: "x", agent } }),
    other: 404,
    owner: 201,
  },
  {
    route: "POST /v1/schedules/preview",
    path: () => "/v1/schedules/preview",
    body: () => ({ when: { kind: "cron", expression: "@daily" } }),
    other: "nothing of it",
    owner: 200,
  },
  { route: "GET /v1/schedules/{id}", path: path(""), other: 404, owner: 200 },
  { route: "GET /v1/schedules/{id}/next", path: path("/next"), other: 404, owner: 200 },
  { route: "GET /v1/schedules/{id}/occurrences", path: path("/occurrences"), other: 404, owner: 200 },
  {
    route: "PUT /v1/schedules/{id}",
    path: path(""),
    body: () => scheduleNamed("changed"),
    other: 404,
    owner: 200,
  },
  { route: "POST /v1/schedules/{id}/pause", path: path("/pause"), other: 404, owner: 200 },
  { route: "POST /v1/schedules/{id}/resume", path: path("/resume"), other: 404, owner: 200 },
  { route: "POST /v1/schedules/{id}/confirm", path: path("/confirm"), other: 404, owner: 200 },
  { route: "POST /v1/schedules/{id}/run", path: path("/run"), other: 404, owner: 202 },
  { route: "DELETE /v1/schedules/{id}", path: path(""), other: 404, owner: 200 },
];
