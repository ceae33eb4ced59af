/** A fake table of codebases. It passes the same contract as the one on Postgres. */
import { type Codebase, MAX_CODEBASES } from "../../core/codebases/codebase.ts";
import type { CodeHit, CodeText } from "../../core/codebases/rank.ts";
import type { IndexedFile } from "../../core/codebases/indexed-file.ts";
import { getExtension } from "../../core/codebases/languages.ts";
import { listWords, normalizeName, splitName } from "../../core/codebases/names.ts";
import { changeLists, hasList, NO_LIST } from "../../core/base/user-lists.ts";
import { unwrap } from "../../core/base/unwrap.ts";
import { failed, ok } from "../../core/base/errors.ts";
import { toVectorMark } from "../../core/knowledge/vector-mark.ts";
import { embedChunks } from "../../core/codebases/embed-chunks.ts";
import { openCodebases } from "../../core/codebases/search.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type { BuildPlace, CodebasesPort, CodebaseTable } from "../../core/ports/codebases.ts";
import { hashingEmbedder } from "../../adapters/embeddings/hashing.ts";
import { indexText } from "./code-reader.ts";
import { fakeVectors } from "./vectors.ts";

interface FakeRow {
  readonly tenant: string;
  codebase: Codebase;
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
  /** The chunks that are stored, by id: true if searches see their file. */
  chunks(): ReadonlyMap<string, boolean>;
}

const MISSING = failed("not_found", "There is no such codebase.");

export function fakeCodebases(): FakeCodebases {
  const rows: FakeRow[] = [];
  let files: FakeFile[] = [];
  const acts: AuditEntry[] = [];
  const embedded = new Map<string, string>();
  const find = (tenant: string, id: string) =>
    rows.find((row) => row.tenant === tenant && row.codebase.id === id) ?? null;
  const ofBuild = (tenant: string, id: string, build: number) => {
    const row = find(tenant, id);
    return row?.building === build ? row : null;
  };
  const filesOf = (tenant: string, id: string) => files.filter((one) => one.tenant === tenant && one.codebase === id);
  const isOld = (one: FakeFile): boolean => {
    const row = find(one.tenant, one.codebase);
    return row === null || (!one.live && one.build !== row.building);
  };
  const chunksOf = (own: readonly FakeFile[]) =>
    own.flatMap((one) => one.file.chunks.map((chunk, ordinal) => ({ one, chunk, id: getChunkId(one, ordinal) })));
  const seenAfter = (tenant: string, { codebase, build, deleted }: BuildPlace) => {
    const own = filesOf(tenant, codebase);
    const gone = new Set([...deleted, ...own.filter((one) => one.build === build).map(({ file }) => file.path)]);
    return own.filter((one) => one.build === build || (one.live && !gone.has(one.file.path)));
  };
  const all = (tenant: string) => rows.filter((row) => row.tenant === tenant).map(({ codebase }) => codebase);
  return {
    acts,
    chunks: () => new Map(chunksOf(files).map(({ id, one }) => [id, one.live])),
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
      const attempts = { builds: 0, published: null, embedder: null };
      const times = { createdAt: act.at, updatedAt: act.at };
      const codebase: Codebase = { ...given, status: "queued", ...nothing, ...attempts, ...times };
      rows.push({ tenant, codebase, building: null });
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
      const build = row.codebase.builds + 1;
      row.building = build;
      row.codebase = { ...row.codebase, status: "indexing", builds: build, updatedAt: at };
      return ok({ codebase: row.codebase, build });
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
    async publish(tenant, id, build, { commit, deleted, skipped, mark, at }) {
      const row = await Promise.resolve(ofBuild(tenant, id, build));
      if (row === null) return ok(false);
      const own = filesOf(tenant, id);
      const added = new Set(own.filter((one) => one.build === build).map(({ file }) => file.path));
      for (const one of own)
        if (one.build === build) one.live = true;
        else if (added.has(one.file.path) || deleted.includes(one.file.path)) one.live = false;
      const shown = own.filter((one) => one.live);
      const live = shown.map(({ file }) => file);
      const hasAll = chunksOf(shown).every(({ id: chunk }) => embedded.get(chunk) === mark);
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
        published: build,
        embedder: hasAll ? mark : null,
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
    async old(tenant, id, limit) {
      const of = files.filter((one) => one.tenant === tenant && (id === null || one.codebase === id));
      const old = await Promise.resolve(of.filter(isOld).slice(0, limit));
      const places = old.map(({ codebase, build, file }) => ({ codebase, build, path: file.path }));
      return ok({ files: places, chunks: chunksOf(old).map(({ id: chunk }) => chunk) });
    },
    async removeOld(tenant, given) {
      const keys = await Promise.resolve(new Set(given.map((one) => `${one.codebase}/${one.build}/${one.path}`)));
      const isGiven = ({ codebase, build, file }: FakeFile) => keys.has(`${codebase}/${build}/${file.path}`);
      files = files.filter((one) => one.tenant !== tenant || !isGiven(one) || !isOld(one));
      return ok(undefined);
    },
    async listDeleted(limit) {
      const left = await Promise.resolve(files.filter((one) => find(one.tenant, one.codebase) === null));
      const ids = new Map(left.map(({ tenant, codebase }) => [codebase, { tenant, id: codebase }]));
      return ok([...ids.values()].slice(0, limit));
    },
    async removeAll(tenant) {
      const left = await Promise.resolve(rows.filter((row) => row.tenant !== tenant));
      rows.splice(0, rows.length, ...left);
      return ok(undefined);
    },
    async listUnembedded(tenant, place, mark, limit) {
      const { codebase } = place;
      const wanted = await Promise.resolve(seenAfter(tenant, place));
      const open = chunksOf(wanted).filter(({ id }) => embedded.get(id) !== mark);
      const toText = ({ id, one, chunk }: (typeof open)[number]) => {
        return { id, kind: "code" as const, project: codebase, text: `${one.file.path}\n${chunk.text}` };
      };
      return ok(open.slice(0, limit).map(toText));
    },
    async countVectors(tenant, place, mark) {
      const wanted = await Promise.resolve(chunksOf(seenAfter(tenant, place)));
      const others = files.filter(
        (one) => one.tenant === tenant && one.codebase !== place.codebase && find(tenant, one.codebase) !== null,
      );
      const present = chunksOf(others).filter(({ id }) => embedded.get(id) === mark);
      const missing = wanted.filter(({ id }) => embedded.get(id) !== mark).length;
      return ok({ missing, total: present.length + wanted.length });
    },
    async markEmbedded(tenant, mark, ids) {
      const own = chunksOf(files.filter((one) => one.tenant === tenant)).map(({ id }) => id);
      const present = await Promise.resolve(ids.filter((id) => own.includes(id)));
      for (const id of present)
        if (mark === null) embedded.delete(id);
        else embedded.set(id, mark);
      return ok(present);
    },
    async listEmbedded(tenant, codebase, limit) {
      const own = await Promise.resolve(chunksOf(filesOf(tenant, codebase)).map(({ id }) => id));
      return ok(own.filter((id) => embedded.has(id)).slice(0, limit));
    },
    async readChunks(tenant, { codebases, extensions }, ids) {
      const shown = await Promise.resolve(
        files.filter((one) => one.tenant === tenant && one.live && codebases.includes(one.codebase)),
      );
      const ofType = shown.filter(({ file }) => extensions === null || extensions.includes(getExtension(file.path)));
      const chosen = chunksOf(ofType).filter(({ id }) => ids.includes(id));
      return ok(
        chosen.map(({ id, one: { codebase, file }, chunk }): CodeText => {
          const lines = { startLine: chunk.start_line, endLine: chunk.end_line, codeLine: chunk.start_line };
          return { found: "text", id, codebase, path: file.path, language: file.language, ...lines, code: chunk.text };
        }),
      );
    },
    async setEvery(tenant, id, { every, dueAt }, act) {
      const row = await Promise.resolve(find(tenant, id));
      if (row === null) return ok(false);
      row.codebase = { ...row.codebase, every, dueAt, updatedAt: act.at };
      acts.push(act);
      return ok(true);
    },
    async due(now, limit) {
      const due = rows.flatMap(({ tenant, codebase: { id, every, dueAt, builds } }) =>
        dueAt === null || dueAt > now || every === null ? [] : [{ tenant, id, every, dueAt, builds }],
      );
      return await Promise.resolve(ok(due.toSorted((a, b) => a.dueAt - b.dueAt).slice(0, limit)));
    },
    async setDue(tenant, id, { from, next }) {
      const row = await Promise.resolve(find(tenant, id));
      if (row?.codebase.dueAt === from) row.codebase = { ...row.codebase, dueAt: next };
      return ok(undefined);
    },
    async setQueued(tenant, id, after, at) {
      const row = await Promise.resolve(find(tenant, id));
      if (row?.codebase.builds === after) row.codebase = { ...row.codebase, status: "queued", updatedAt: at };
      return ok(undefined);
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
      const hits = searched.flatMap(({ codebase, file }): FoundHit[] => {
        const place = { codebase, path: file.path, language: file.language };
        const symbols = file.symbols.map((symbol): FoundHit => {
          const last = symbol.name.slice(symbol.name.lastIndexOf(".") + 1);
          const own = [normalizeName(symbol.name), normalizeName(last)];
          const parts = splitName(symbol.name);
          const has = [
            ...names.filter((wanted) => own.includes(wanted)).map((wanted) => `name:=${wanted}`),
            ...names.filter((wanted) => own.some((one) => one.startsWith(wanted))).map((wanted) => `name:${wanted}`),
            ...words.filter((word) => parts.includes(word)).map((word) => `symbol:${word}`),
          ];
          const chunk = file.chunks.find(
            (one) => one.start_line <= symbol.start_line && one.end_line >= symbol.start_line,
          );
          const { name, kind, signature, doc, start_line: startLine, end_line: endLine } = symbol;
          const code = { code: chunk?.text ?? "", codeLine: chunk?.start_line ?? startLine };
          return { has, hit: { found: "symbol", ...place, ...code, name, kind, signature, doc, startLine, endLine } };
        });
        const texts = file.chunks.map(({ words: own, start_line, end_line, text }): FoundHit => {
          const all = [...own, ...listWords(file.path)];
          const has = words.filter((word) => all.includes(word)).map((word) => `text:${word}`);
          const lines = { startLine: start_line, endLine: end_line, code: text, codeLine: start_line };
          return { has, hit: { found: "text", ...place, ...lines } };
        });
        return [...symbols, ...texts].filter(({ has }) => has.length > 0);
      });
      const best = rankByRarity(hits, words);
      const ofKind = (kind: CodeHit["found"]) => best.filter(({ found }) => found === kind).slice(0, limit);
      return ok([...ofKind("symbol"), ...ofKind("text")]);
    },
  };
}

/** A hit, and what of the query it has. */
interface FoundHit {
  readonly hit: CodeHit;
  readonly has: readonly string[];
}

/** The best first: all of the words, then rare ones. A name counts twice as much as a part of one. */
function rankByRarity(hits: readonly FoundHit[], words: readonly string[]): readonly CodeHit[] {
  const numbers = new Map<string, number>();
  for (const one of hits.flatMap(({ has }) => has)) numbers.set(one, (numbers.get(one) ?? 0) + 1);
  const weigh = (one: string): number =>
    (one.startsWith("name:") ? 2 : 1) * Math.log(1 + 1e6 / ((numbers.get(one) ?? 0) + 0.5));
  const scored = hits.map(({ hit, has }) => {
    const hasAll = words.every((word) => has.includes(`${hit.found}:${word}`));
    return { hit, score: has.reduce((sum, one) => sum + weigh(one), hasAll ? 1_000 : 0) };
  });
  return scored.toSorted((one, other) => other.score - one.score).map(({ hit }) => hit);
}

function getChunkId({ codebase, build, file }: FakeFile, ordinal: number): string {
  return `cch_${codebase}/${build}/${ordinal}/${file.path}`;
}

/** The port of a task's agent "coder" over one indexed codebase `shop` with these files. */
export function codebasesOfTexts(files: Readonly<Record<string, string>> = SHOP): CodebasesPort {
  const table = fakeCodebases();
  const [tenant, id] = ["ten_a", "cdb_shop"];
  const [embedder, vectors] = [hashingEmbedder(), fakeVectors()];
  const fill = async (): Promise<void> => {
    const users = { agents: ["coder"], projects: null, people: null };
    const at = { id: "aud_1", at: 0, actor: "key_1", target: id, requestId: "req_1" } as const;
    await table.create(
      tenant,
      { id, name: "shop", source: { project: "shop" }, ...users, every: null, dueAt: null },
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
    await embedChunks({ table, embedder, vectors, now: () => 0 }, tenant, { codebase: id, build, deleted: [] }, 1);
    const mark = toVectorMark(embedder.model, "code");
    await table.publish(tenant, id, build, { commit: "a".repeat(40), deleted: [], skipped, mark, at: 0 });
  };
  const filled = fill();
  const user = { agent: { id: "agent_1", name: "coder" }, project: null, person: null };
  const port = openCodebases({ table, embedder, vectors }, tenant, user);
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
