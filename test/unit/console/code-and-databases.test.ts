import { describe, expect, it } from "vitest";
import { countSkipped, describeSkipped, describeSource } from "../../../web/src/pages/code/code-words.ts";
import { readCodeSearch } from "../../../web/src/pages/code/code-search.ts";
import { findSourceFault, NEW_SOURCE, suggestName } from "../../../web/src/pages/code/source-draft.ts";
import { describeSettings, makeGrantExample } from "../../../web/src/pages/databases/database-words.ts";
import { NEW_SETTINGS, toSettings } from "../../../web/src/pages/databases/settings-draft.ts";
import { describeUsers, isForNobody } from "../../../web/src/users/users-draft.ts";

describe("a codebase", () => {
  it("tells its source without a hash, and the reasons for files that were left out", () => {
    expect(describeSource({ git: "https://code.example.com/a.git", ref: "v2" })).toBe(
      "https://code.example.com/a.git at v2",
    );
    expect(describeSource({ zip: "a".repeat(64) })).toBe("An uploaded ZIP file");
    const skipped = { binary: 1_200, secret: 0, ignored: 1 };
    expect(describeSkipped(skipped)).toEqual(["1,200 not text", "1 named by a .gitignore"]);
    expect(countSkipped(skipped)).toBe(1_201);
  });

  it.each([
    [{ git: "https://code.example.com/Ana/My%20Shop.git" }, "my-20shop"],
    [{ git: "https://code.example.com/shop/" }, "shop"],
    [{ git: "no address" }, ""],
    [{ kind: "zip" as const, file: new File(["x"], "_Web Shop.ZIP") }, "web-shop"],
    [{ kind: "project" as const, project: "Web/Shop" }, "web-shop"],
  ])("gets the name that its source suggests: %j", (source, name) => {
    expect(suggestName({ ...NEW_SOURCE, ...source })).toBe(name);
  });

  it("needs a source before anything is sent", () => {
    expect(Object.keys(findSourceFault(NEW_SOURCE))).toEqual(["source.git"]);
    expect(Object.keys(findSourceFault({ ...NEW_SOURCE, kind: "zip" }))).toEqual(["source.zip"]);
    const large = new File([new Uint8Array(26 * 1024 ** 2)], "a.zip");
    expect(findSourceFault({ ...NEW_SOURCE, kind: "zip", file: large })).toEqual({
      "source.zip": "The file is larger than 25 MB.",
    });
  });

  it("is opened by an address only in the form of an id", () => {
    expect(readCodeSearch({ q: 2026, open: "cdb_01", in: "shop" })).toEqual({ q: "2026", open: "cdb_01", in: "shop" });
    expect(readCodeSearch({ q: " ", open: "<b>" })).toEqual({});
  });
});

describe("the users of a thing", () => {
  it.each([
    [{ agents: null, projects: null, people: null }, true],
    [{ agents: ["a"], projects: [], people: null }, true],
    [{ agents: null, projects: ["p"], people: null }, false],
  ])("%j: nobody is %s", (users, isNobody) => {
    expect(isForNobody(users)).toBe(isNobody);
  });

  it("are named, people too", () => {
    const users = { agents: ["coder", "default"], projects: [], people: ["per_1"] };
    expect(describeUsers(users, () => "Ana")).toEqual(["Agents: coder, default", "Projects: none", "People: Ana"]);
  });
});

describe("a database", () => {
  it("has its settings in one line, and a request without empty lists of what is allowed", () => {
    expect(describeSettings(toSettings(NEW_SETTINGS))).toBe("TLS · every schema · every table · 1,000 rows · 15 s");
    const settings = toSettings({
      ...NEW_SETTINGS,
      schemas: "a\n\n b ",
      allowedTables: "",
      deniedTables: "Order Lines",
    });
    expect(settings).toMatchObject({ schemas: ["a", "b"], tables: { deny: ["Order Lines"] } });
    expect(settings.tables).not.toHaveProperty("allow");
    expect(describeSettings(settings)).toContain("schemas a, b · every table · 1 table denied");
  });

  it("gets a role for its schemas, whose names are quoted where they have to be", () => {
    expect(makeGrantExample([])).toContain("grant select on all tables in schema public to reader;");
    expect(makeGrantExample(['My "Shop"'])).toContain('grant usage on schema "My ""Shop""" to reader;');
  });
});
