/** What the lists of Debian packages say, what of it a machine lacks, and the words for a person. Pure. */

/** A line of `sidecar/packages.txt`, where the form is explained. */
export interface SystemPackage {
  /** Debian's name. */
  readonly name: string;
  readonly where: "all" | "image";
  /** What it puts on the PATH. */
  readonly programs: readonly string[];
  readonly why: string;
}

/** What a machine was seen to have: by Debian's own record, or on a machine without one by looking for programs. */
export type Present =
  | { readonly by: "record"; readonly names: ReadonlySet<string> }
  | { readonly by: "programs"; readonly programs: ReadonlySet<string> };

/** Throws for a line that is not as it must be. */
export function readPackageList(text: string): SystemPackage[] {
  return text.split("\n").flatMap((line) => (/^\s*(#|$)/.test(line) ? [] : [readLine(line)]));
}

/** Those of `wanted` that are not there. A package without a program counts as there where nothing but programs can be seen. */
export function missingPackages(wanted: readonly SystemPackage[], present: Present): SystemPackage[] {
  return wanted.filter(({ name, programs }) =>
    present.by === "record" ? !present.names.has(name) : !programs.every((program) => present.programs.has(program)),
  );
}

/** What a person reads when some stay missing: which, what for, and how to install them. `why`: why they were not installed. */
export function explainMissing(missing: readonly SystemPackage[], why: string): string[] {
  const width = Math.max(...missing.map(({ name }) => name.length));
  const names = missing.map(({ name }) => name).join(" ");
  return [
    `! System packages are missing: ${why}. Otto runs without these features:`,
    ...missing.map(({ name, why: purpose }) => `!   ${name.padEnd(width)}  ${purpose}`),
    `! To install them on Debian or Ubuntu, as root: apt-get install --no-install-recommends ${names}`,
  ];
}

/** The packages that apt-get has never heard of, by its own words (in English). */
export function unknownToApt(output: string): string[] {
  const found = output.matchAll(/Unable to locate package (\S+)|Package '?([^\s']+)'? has no installation candidate/g);
  return [...new Set([...found].map(([, located, candidate]) => located ?? candidate ?? ""))];
}

/** Whether newer lists of packages may help: there are none, or they name files that the server has no more. */
export function wantsNewLists(output: string): boolean {
  return unknownToApt(output).length > 0 || /404\s+Not Found|Hash Sum mismatch/i.test(output);
}

/** Why apt-get failed, in a few words. */
export function explainApt(output: string): string {
  if (/Could not get lock|Unable to lock|Unable to acquire the dpkg/i.test(output))
    return "another program is installing packages";
  if (/Temporary failure resolving|Could not resolve|Could not connect|Cannot initiate|timed out/i.test(output))
    return "the package server does not answer";
  if (/No space left|enough free space/i.test(output)) return "the disk is full";
  const said = output.split("\n").findLast((line) => line.startsWith("E: "));
  return said === undefined ? "apt-get failed" : `apt-get says "${said.slice(3).trim()}"`;
}

function readLine(line: string): SystemPackage {
  const [, name, where, programs = "", why] =
    /^([a-z0-9][a-z0-9.+-]+)\s+(all|image)((?:\s+[\w.+-]+)*)\s+#\s*(\S.*?)\s*$/.exec(line) ?? [];
  if (name === undefined || (where !== "all" && where !== "image") || why === undefined)
    throw new Error(`not a line of a package list: ${line}`);
  return { name, where, programs: programs.split(/\s+/).filter((program) => program !== ""), why };
}
