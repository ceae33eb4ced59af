/** One change to a file of a sandbox. */

/** A file as it is to be, or to be no more. `ifVersion` is the version that the change was made from; 0: there was no file. */
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
