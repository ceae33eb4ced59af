/** The sidecar's image without a container: what its Dockerfile copies, laid out in a folder. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

const dockerfile = readFileSync(join(ROOT, "sidecar/Dockerfile"), "utf8");
const stages = dockerfile.split(/^(?=FROM )/m);
/** The stage that becomes the image. */
export const imageLines: readonly string[] = stages.at(-1)?.split("\n") ?? [];

interface PackageFile {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The paths that the image's COPY lines take from the repository, files only. */
export function copiedFiles(): string[] {
  return copyLines().flatMap(({ stage, from }) => (stage === null ? filesAt(from) : []));
}

/** The command that the image starts. */
export function imageCommand(): string[] {
  const [, list = "[]"] = /^CMD (\[.*\])$/m.exec(imageLines.join("\n")) ?? [];
  return JSON.parse(list) as string[];
}

/** Does what the COPY lines say. Packages are linked: of a linked package, all that it holds is there. */
export function layOutImage(folder: string): void {
  for (const { stage, from, to } of copyLines()) {
    if (stage === null) {
      cpSync(join(ROOT, from), join(folder, to), { recursive: true });
      continue;
    }
    for (const name of installedPackages()) {
      mkdirSync(dirname(join(folder, to, name)), { recursive: true });
      symlinkSync(join(ROOT, "node_modules", name), join(folder, to, name));
    }
  }
}

/** A file `package.json`, from the root of the repository. */
export function readPackage(path: string): PackageFile {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8")) as PackageFile;
}

/** What npm installs by sidecar/package.json: those packages, what they need, and what of it fits this platform. */
function installedPackages(): string[] {
  const found = new Set<string>();
  const visit = (names: readonly string[]): void => {
    for (const name of names) {
      if (found.has(name) || !existsSync(join(ROOT, "node_modules", name))) continue;
      found.add(name);
      const { dependencies = {}, optionalDependencies = {} } = readPackage(`node_modules/${name}/package.json`);
      visit([...Object.keys(dependencies), ...Object.keys(optionalDependencies)]);
    }
  };
  visit(Object.keys(readPackage("sidecar/package.json").dependencies ?? {}));
  return [...found];
}

interface CopyLine {
  /** Null: from the repository. */
  readonly stage: string | null;
  readonly from: string;
  readonly to: string;
}

function copyLines(): CopyLine[] {
  return imageLines.flatMap((line) => {
    const [, stage = null, from = "", to = ""] = /^COPY (?:--from=(\S+) )?(\S+) (\S+)$/.exec(line) ?? [];
    return from === "" ? [] : [{ stage, from, to }];
  });
}

function filesAt(path: string): string[] {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path];
  const inside = globSync(`${path}/**/*`, { cwd: ROOT });
  return inside.filter((one) => statSync(join(ROOT, one)).isFile());
}
