import { describe, expect, it } from "vitest";
import {
  canHaveRule,
  describeRule,
  findRuleFault,
  NO_RULE,
  readRule,
  toRuleDraft,
} from "../../../web/src/pages/code/code-schedule.ts";
import {
  countSkipped,
  describeSearch,
  describeSkipped,
  describeSource,
  lacksVectors,
} from "../../../web/src/pages/code/code-words.ts";
import { readCodeSearch } from "../../../web/src/pages/code/code-search.ts";
import { findSourceFault, NEW_SOURCE, suggestName } from "../../../web/src/pages/code/source-draft.ts";
import { describeSettings, makeGrantExample } from "../../../web/src/pages/databases/database-words.ts";
import { NEW_SETTINGS, toSettings, toSettingsDraft } from "../../../web/src/pages/databases/settings-draft.ts";
import { describeUsers, isForNobody } from "../../../web/src/users/users-draft.ts";

describe("a codebase", () => {
  it("tells its source without a hash, and the reasons for skipped files", () => {
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

  it.each([
    ["1h", "every hour"],
    ["36h", "every 36 hours"],
    ["7d", "every 7 days"],
    ["15 3 * * *", "every day at 03:15 in UTC"],
    ["@weekly", "by @weekly in UTC"],
  ])("says its rule %s in words, and the form sends it back unchanged", (every, words) => {
    expect(describeRule(every)).toBe(words);
    expect(readRule(toRuleDraft(every))).toBe(every);
  });

  it("has no rule, an offered one or a typed one, which is not empty", () => {
    expect(readRule(toRuleDraft(null))).toBeNull();
    expect(toRuleDraft("6h")).toEqual({ choice: "6h", typed: "" });
    const typed = { ...toRuleDraft("12h"), typed: " " };
    expect([readRule(typed), findRuleFault(typed)]).toEqual([
      null,
      { "reindex.every": "Enter an interval or a cron expression." },
    ]);
    expect(findRuleFault(NO_RULE)).toEqual({});
    const zip = { zip: "a".repeat(64) };
    expect(canHaveRule({ source: zip, reindex: { every: null } })).toBe(false);
    expect(canHaveRule({ source: zip, reindex: { every: "6h" } })).toBe(true);
    expect(canHaveRule({ source: { project: "shop" }, reindex: { every: null } })).toBe(true);
  });

  it("is found by meaning only with vectors, which an index can lack", () => {
    expect(describeSearch({ embedder: "hashing" })).toBe("By names, words and meaning");
    expect(describeSearch({ embedder: null })).toBe("By names and words");
    expect(lacksVectors({ embedder: null, indexed_at: null })).toBe(false);
    expect(lacksVectors({ embedder: null, indexed_at: "2026-01-01T00:00:00Z" })).toBe(true);
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

  it("reads sample values only where its settings say so", () => {
    const settings = { ...NEW_SETTINGS, samples: true };
    expect(describeSettings(toSettings(settings))).toContain("every table · with sample values · 1,000 rows");
    expect(toSettings(NEW_SETTINGS).samples).toBe(false);
    const stored = { tls: "require", max_rows: 1_000, timeout_s: 15, samples: true } as const;
    expect(toSettingsDraft(stored)).toEqual(settings);
    expect(toSettingsDraft({ ...stored, samples: undefined }).samples).toBe(false);
  });

  it("gets a role for its schemas, whose names are quoted where they have to be", () => {
    expect(makeGrantExample([])).toContain("grant select on all tables in schema public to reader;");
    expect(makeGrantExample(['My "Shop"'])).toContain('grant usage on schema "My ""Shop""" to reader;');
  });
});
