/** One change to a file of a sandbox. */

/** The new content of a file, or its removal. `ifVersion` is the version before the change; 0 without a file. */
export type FileChange =
  | {
      readonly kind: "write";
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly ifVersion: number;
      /** Omitted: the file's mode stays. */
      readonly mode?: number;
    }
  | { readonly kind: "remove"; readonly path: string; readonly ifVersion: number };
