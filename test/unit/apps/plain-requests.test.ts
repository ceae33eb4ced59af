import { expect, test } from "vitest";
import { compileDemoCatalogue } from "../../mock-servers/demo-catalogue.ts";
import { PLAIN_APP_REQUESTS, toActionNames } from "../../mock-servers/app-requests/all.ts";

test("at least 300 different requests, each for actions of apps that the person may use", async () => {
  const { listed } = await compileDemoCatalogue();
  const appOf = new Map(listed.map(({ action, app }) => [action, app]));
  expect(new Set(PLAIN_APP_REQUESTS.map(({ text }) => text)).size).toBeGreaterThanOrEqual(300);
  for (const { text, apps, groups } of PLAIN_APP_REQUESTS) {
    for (const name of groups.flat()) {
      const app = toActionNames(name).flatMap((each) => appOf.get(each) ?? [])[0];
      expect(app, `${text}: ${name}`).toBeDefined();
      if (apps.length > 0) expect(apps, `${text}: ${name}`).toContain(app);
    }
  }
});
