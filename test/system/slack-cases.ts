/** Cases of the tenancy matrix: those of Slack. The first tenant has a workspace at the mock server of Slack. */
import type { Case } from "./tenancy-cases.ts";

const INSTALLS = "/v1/slack/installs";

export const SLACK_CASES: readonly Case[] = [
  { route: `GET ${INSTALLS}`, path: () => INSTALLS, other: "nothing of it", owner: 200 },
  { route: `POST ${INSTALLS}`, path: () => INSTALLS, body: () => ({ bot_token: "xoxb-none" }), other: 422, owner: 422 },
  { route: `GET ${INSTALLS}/{id}`, path: ({ install }) => `${INSTALLS}/${install}`, other: 404, owner: 200 },
  {
    route: `GET ${INSTALLS}/{id}/received`,
    path: ({ install }) => `${INSTALLS}/${install}/received`,
    other: 404,
    owner: 200,
  },
  {
    route: `POST ${INSTALLS}/{id}/received/{message}/replay`,
    path: ({ install }) => `${INSTALLS}/${install}/received/Ev0/replay`,
    other: 404,
    owner: 404,
  },
  { route: `DELETE ${INSTALLS}/{id}`, path: ({ install }) => `${INSTALLS}/${install}`, other: 404, owner: 200 },
  { route: "GET /v1/slack/manifest", path: () => "/v1/slack/manifest", other: "nothing of it", owner: 200 },
  { route: "POST /v1/slack/authorize", path: () => "/v1/slack/authorize", other: "nothing of it", owner: 200 },
  { route: "GET /slack/oauth", path: () => "/slack/oauth?state=x", other: 400, owner: 400 },
  {
    route: "GET /slack/oauth/begin",
    path: () => "/slack/oauth/begin?state=x",
    other: 400,
    owner: 400,
  },
  ...["events", "commands", "interactive"].map((name): Case => {
    return { route: `POST /slack/${name}`, path: () => `/slack/${name}`, body: () => ({}), other: 401, owner: 401 };
  }),
];
