/** A fake table of codebases. It passes the same contract as the one on Postgres. */
import { type Codebase, MAX_CODEBASES } from "../../core/codebases/codebase.ts";
import type { CodeHit } from "../../core/codebases/rank.ts";
import type { IndexedFile } from "../../core/codebases/indexed-file.ts";
import { getExtension } from "../../core/codebases/languages.ts";
import { listWords, normalizeName, splitName } from "../../core/codebases/names.ts";
import { changeLists, hasList, NO_LIST } from "../../core/base/user-lists.ts";
import { unwrap } from "../../core/base/unwrap.ts";
import { failed, ok } from "../../core/base/errors.ts";
import { openCodebases } from "../../core/codebases/search.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type { CodebasesPort, CodebaseTable } from "../../core/ports/codebases.ts";
import { indexText } from "./code-reader.ts";

interface FakeRow {
  readonly tenant: string;
  codebase: Codebase;
  builds: number;
  building: number | null;
}

interface FakeFile {
  readonly tenant: string;
  readonly codebase: string;
  readonly build: number;
  readonly file: IndexedFile;
  live: boolean;
}

export interface FakeCodebases extends CodebaseTable {
  /** The acts that changed something. */
  readonly acts: readonly AuditEntry[];
}

const MISSING = failed("not_found", "There is no such codebase.");

export function fakeCodebases(): FakeCodebases {
  const rows: FakeRow[] = [];
  let files: FakeFile[] = [];
  const acts: AuditEntry[] = [];
  const find = (tenant: string, id: string) =>
    rows.find((row) => row.tenant === tenant && row.codebase.id === id) ?? null;
  const ofBuild = (tenant: string, id: string, build: number) => {
    const row = find(tenant, id);
    return row?.building === build ? row : null;
  };
  const filesOf = (tenant: string, id: string) => files.filter((one) => one.tenant === tenant && one.codebase === id);
  const all = (tenant: string) => rows.filter((row) => row.tenant === tenant).map(({ codebase }) => codebase);
  return {
    acts,
    all: async (tenant) => await Promise.resolve(ok(all(tenant).toSorted((a, b) => (a.name < b.name ? -1 : 1)))),
    async get(tenant, id) {
      const row = await Promise.resolve(find(tenant, id));
      return row === null ? MISSING : ok(row.codebase);
    },
    async create(tenant, given, act) {
      const present = await Promise.resolve(all(tenant));
      if (present.some(({ name }) => name === given.name)) return failed("conflict", "Taken.", { field: "name" });
      if (present.length >= MAX_CODEBASES) return failed("quota_exceeded", "Too many.");
      const nothing = { error: null, commit: null, files: 0, symbols: 0, chunks: 0, skipped: {}, indexedAt: null };
      const times = { createdAt: act.at, updatedAt: act.at };
      const codebase: Codebase = { ...given, status: "queued", ...nothing, ...times };
      rows.push({ tenant, codebase, builds: 0, building: null });
      acts.push(act);
      return ok(codebase);
    },
    async update(tenant, id, change, act) {
      const row = await Promise.resolve(find(tenant, id));
      if (row === null) return MISSING;
      const lists = changeLists(row.codebase, change);
      if (!hasList(lists)) return failed("invalid_input", NO_LIST, { field: "agents" });
      row.codebase = { ...row.codebase, ...lists, updatedAt: act.at };
      acts.push(act);
      return ok(row.codebase);
    },
    async remove(tenant, id, act) {
      const at = await Promise.resolve(rows.findIndex((row) => row.tenant === tenant && row.codebase.id === id));
      if (at < 0) return MISSING;
      rows.splice(at, 1);
      acts.push(act);
      return ok(undefined);
    },
    async request(tenant, id, act) {
      const row = await Promise.resolve(find(tenant, id));
      if (row === null) return MISSING;
      row.codebase = { ...row.codebase, status: "queued", updatedAt: act.at };
      acts.push(act);
      return ok(row.codebase);
    },
    async begin(tenant, id, at) {
      const row = await Promise.resolve(find(tenant, id));
      if (row === null) return MISSING;
      row.builds += 1;
      row.building = row.builds;
      row.codebase = { ...row.codebase, status: "indexing", updatedAt: at };
      return ok({ codebase: row.codebase, build: row.builds });
    },
    async known(tenant, id) {
      const live = await Promise.resolve(filesOf(tenant, id).filter((one) => one.live));
      return ok(new Map(live.map(({ file }) => [file.path, file.hash])));
    },
    async add(tenant, id, build, added) {
      if ((await Promise.resolve(ofBuild(tenant, id, build))) === null) return ok(false);
      const has = new Set(
        filesOf(tenant, id)
          .filter((one) => one.build === build)
          .map(({ file }) => file.path),
      );
      for (const file of added) if (!has.has(file.path)) files.push({ tenant, codebase: id, build, file, live: false });
      return ok(true);
    },
    async publish(tenant, id, build, { commit, deleted, skipped, at }) {
      const row = await Promise.resolve(ofBuild(tenant, id, build));
      if (row === null) return ok(false);
      const own = filesOf(tenant, id);
      const added = new Set(own.filter((one) => one.build === build).map(({ file }) => file.path));
      for (const one of own)
        if (one.build === build) one.live = true;
        else if (added.has(one.file.path) || deleted.includes(one.file.path)) one.live = false;
      const live = own.filter((one) => one.live).map(({ file }) => file);
      row.building = null;
      row.codebase = {
        ...row.codebase,
        status: "ready",
        error: null,
        commit,
        skipped,
        files: live.length,
        symbols: live.reduce((sum, { symbols }) => sum + symbols.length, 0),
        chunks: live.reduce((sum, { chunks }) => sum + chunks.length, 0),
        indexedAt: at,
        updatedAt: at,
      };
      return ok(true);
    },
    async fail(tenant, id, build, why, at) {
      const row = await Promise.resolve(ofBuild(tenant, id, build));
      if (row === null) return ok(undefined);
      row.building = null;
      row.codebase = { ...row.codebase, status: "failed", error: why, updatedAt: at };
      return ok(undefined);
    },
    async removeOld(tenant, id, limit) {
      const row = await Promise.resolve(find(tenant, id));
      const isOld = (one: FakeFile) => row === null || (!one.live && one.build !== row.building);
      const old = filesOf(tenant, id).filter(isOld).slice(0, limit);
      files = files.filter((one) => !old.includes(one));
      return ok(old.length < limit);
    },
    async find(tenant, { codebases, names, words, extensions }, limit) {
      const present = new Set(all(tenant).map(({ id }) => id));
      const searched = await Promise.resolve(
        files.filter(
          (one) =>
            one.tenant === tenant &&
            one.live &&
            present.has(one.codebase) &&
            codebases.includes(one.codebase) &&
            (extensions === null || extensions.includes(getExtension(one.file.path))),
        ),
      );
      const hits = searched.flatMap(({ codebase, file }): CodeHit[] => {
        const place = { codebase, path: file.path, language: file.language };
        const symbols = file.symbols.flatMap((symbol): CodeHit[] => {
          const last = symbol.name.slice(symbol.name.lastIndexOf(".") + 1);
          const own = [normalizeName(symbol.name), normalizeName(last)];
          const parts = splitName(symbol.name);
          const isFound =
            names.some((name) => own.some((one) => one.startsWith(name))) || words.some((word) => parts.includes(word));
          const chunk = file.chunks.find(
            (one) => one.start_line <= symbol.start_line && one.end_line >= symbol.start_line,
          );
          const { name, kind, signature, doc, start_line: startLine, end_line: endLine } = symbol;
          const code = { code: chunk?.text ?? "", codeLine: chunk?.start_line ?? startLine };
          return isFound
            ? [{ found: "symbol", ...place, ...code, name, kind, signature, doc, startLine, endLine }]
            : [];
        });
        const texts = file.chunks.flatMap(({ words: own, start_line, end_line, text }): CodeHit[] => {
          if (!words.some((word) => own.includes(word) || listWords(file.path).includes(word))) return [];
          const lines = { startLine: start_line, endLine: end_line, code: text, codeLine: start_line };
          return [{ found: "text", ...place, ...lines }];
        });
        return [...symbols, ...texts];
      });
      const ofKind = (kind: CodeHit["found"]) => hits.filter(({ found }) => found === kind).slice(0, limit);
      return ok([...ofKind("symbol"), ...ofKind("text")]);
    },
  };
}

/** The port of a task's agent "coder" over one indexed codebase `shop` with these files. */
export function codebasesOfTexts(files: Readonly<Record<string, string>> = SHOP): CodebasesPort {
  const table = fakeCodebases();
  const [tenant, id] = ["ten_a", "cdb_shop"];
  const fill = async (): Promise<void> => {
    const users = { agents: ["coder"], projects: null, people: null };
    const at = { id: "aud_1", at: 0, actor: "key_1", target: id, requestId: "req_1" } as const;
    await table.create(
      tenant,
      { id, name: "shop", source: { project: "shop" }, ...users },
      { ...at, action: "codebase.create" },
    );
    const { build } = unwrap(await table.begin(tenant, id, 0));
    await table.add(
      tenant,
      id,
      build,
      Object.entries(files).map(([path, text]) => indexText(path, text)),
    );
    const skipped = { binary: 0, too_large: 0, ignored: 0, denied: 0, secret: 0, link: 0 };
    await table.publish(tenant, id, build, { commit: "a".repeat(40), deleted: [], skipped, at: 0 });
  };
  const filled = fill();
  const port = openCodebases(table, tenant, { agent: { id: "agent_1", name: "coder" }, project: null, person: null });
  return {
    search: async (request) => {
      await filled;
      return await port.search(request);
    },
  };
}

const SHOP = {
  "src/cart.ts": "export function addItem(item) {\n  send(item);\n}\n",
  "src/mail.ts": "export function sendMail(to, attachment) {}\n",
};
