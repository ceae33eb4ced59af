/** The rooms of core and of workers: which folder may import which. `layers.ts` says which layer may import which. */
import { posix } from "node:path";
import { isCode, type SourceFile, type Violation } from "./source-tree.ts";
import { importsOf } from "./syntax.ts";

const CORE = "core/";
const BASE = "core/base";
const LIB = "core/lib";
const WORKERS = "workers/";
const HTTP = "workers/http/";
const PORTS = "core/ports";
/** Every port may import the label of a text in addition to the types of its own room. */
const LABEL = "core/provenance/label.ts";

interface Import {
  readonly from: string;
  readonly to: string;
  readonly line: number;
  readonly isType: boolean;
}

/** Files of core outside a room, imports that a room may not have, and circles of rooms. */
export function roomViolations(files: readonly SourceFile[]): Violation[] {
  const inCore = files.filter(({ path }) => path.startsWith(CORE) && isCode(path));
  const imports = inCore.flatMap((file) => importsInto(CORE, file));
  return [
    ...inCore.filter(({ path }) => roomOf(path) === "core").map(({ path }) => ({ path, message: "put it in a room" })),
    ...imports.flatMap((one) => judgeLowRoom(one) ?? []),
    ...portsOfSeveralRooms(imports),
    ...circles(imports),
  ];
}

/** In `workers/http`, which all rooms use: imports of another room, and files that import each other. */
export function workersRoomViolations(files: readonly SourceFile[]): Violation[] {
  const imports = files
    .filter(({ path }) => path.startsWith(HTTP) && isCode(path))
    .flatMap((file) => importsInto(WORKERS, file));
  const reached = reachAll(imports, (path) => path);
  return [
    ...imports
      .filter(({ from, to }) => from.startsWith(HTTP) && !to.startsWith(HTTP))
      .map(({ from, to, line }) => ({
        path: from,
        line,
        message: `http is used by all rooms, and may not import ${to}`,
      })),
    ...imports
      .filter(({ from, to }) => reached.get(to)?.has(from) === true)
      .map(({ from, to, line }) => ({ path: from, line, message: `${to} imports this file already` })),
  ];
}

function importsInto(layer: string, file: SourceFile): Import[] {
  return importsOf(file)
    .filter(({ specifier }) => specifier.startsWith("."))
    .map(({ specifier, line, typeOnly }) => ({
      from: file.path,
      to: posix.join(posix.dirname(file.path), specifier),
      line,
      isType: typeOnly,
    }))
    .filter(({ to }) => to.startsWith(layer));
}

/** The folder of a file; everything below `core/lib` is one room. */
function roomOf(path: string): string {
  return path.startsWith(`${LIB}/`) ? LIB : posix.dirname(path);
}

/** `base` knows nothing, `lib` knows `base`, and `ports` knows types. */
function judgeLowRoom({ from, to, line, isType }: Import): Violation | null {
  const [room, target] = [roomOf(from), roomOf(to)];
  if (room === target) return null;
  if (room === BASE) return { path: from, line, message: `base knows nothing of Otto, and may not import ${to}` };
  if (room === LIB && target !== BASE) return { path: from, line, message: `lib may import base alone, not ${to}` };
  if (room === PORTS && target !== BASE && !isType)
    return { path: from, line, message: `a port may import the types of ${to}, and no value` };
  return null;
}

/** A port is one room's: its file has the types of one room, and the label of a text. */
function portsOfSeveralRooms(imports: readonly Import[]): Violation[] {
  const rooms = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const target = roomOf(to);
    if (roomOf(from) !== PORTS || [BASE, LIB, PORTS].includes(target) || to === LABEL) continue;
    rooms.set(from, (rooms.get(from) ?? new Set()).add(target));
  }
  return Array.from(rooms, ([path, targets]) => ({ path, targets }))
    .filter(({ targets }) => targets.size > 1)
    .map(({ path, targets }) => ({ path, message: `a port is one room's, and imports ${[...targets].join(", ")}` }));
}

/** Rooms that import each other, by way of others too. `ports` has types only, so no circle runs through it. */
function circles(imports: readonly Import[]): Violation[] {
  const between = imports.filter(({ from, to }) => {
    const [room, target] = [roomOf(from), roomOf(to)];
    return room !== target && room !== PORTS && target !== PORTS;
  });
  const reached = reachAll(between, roomOf);
  return between
    .filter(({ from, to }) => reached.get(roomOf(to))?.has(roomOf(from)) === true)
    .map(({ from, to, line }) => ({ path: from, line, message: `${roomOf(to)} imports ${roomOf(from)} already` }));
}

/** What each place imports, also indirectly. `toPlace` is a file's room, or the file itself. */
function reachAll(
  imports: readonly Import[],
  toPlace: (path: string) => string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const place = toPlace(from);
    targets.set(place, (targets.get(place) ?? new Set()).add(toPlace(to)));
  }
  return new Map(Array.from(targets.keys(), (place) => [place, reachedFrom(place, targets)]));
}

function reachedFrom(room: string, targets: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...(targets.get(room) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(targets.get(next) ?? []));
  }
  return reached;
}

/** The rooms that the map in `core/README.md` lacks or should not have. Rows begin with the rooms of one line of the table. */
export function mapViolations(files: readonly SourceFile[]): Violation[] {
  const path = "core/README.md";
  const text = files.find((file) => file.path === path)?.text ?? "";
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) =>
    Array.from((row.split("|")[1] ?? "").matchAll(/`([^`]+)\/`/g), ([, name = ""]) => name),
  );
  const rooms = new Set(
    files
      .filter((file) => file.path.startsWith(CORE) && isCode(file.path))
      .map((file) => roomOf(file.path).slice(CORE.length)),
  );
  const lacking = [...rooms].filter((room) => !named.includes(room)).map((room) => `does not name ${room}/`);
  const wrong = named.filter((name) => !rooms.has(name)).map((name) => `names ${name}/, which is no room`);
  return [...lacking, ...wrong].map((message) => ({ path, message }));
}
