import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VERSION } from "../../../core/base/version.ts";

test("the Worker reports the version of package.json", () => {
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  expect(VERSION).toBe(version);
});
