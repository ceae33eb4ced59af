/** Whether the bundle is small enough to be uploaded, and as small as we want it. Sizes are those of the gzip. */

/** Of a Worker on Cloudflare's paid plan (https://developers.cloudflare.com/workers/platform/limits/). */
const PLATFORM_MAX_BYTES = 10_000_000;
/** Our own: a bundle's size is the time that a new isolate takes to start. */
const TARGET_KIB = 800;

export interface SizeVerdict {
  readonly fits: boolean;
  readonly isOverTarget: boolean;
  /** The size beside both limits. */
  readonly line: string;
}

export function judgeSize(gzipBytes: number): SizeVerdict {
  const kib = Math.ceil(gzipBytes / 1024);
  return {
    fits: gzipBytes <= PLATFORM_MAX_BYTES,
    isOverTarget: gzipBytes > TARGET_KIB * 1024,
    line: `${kib} KiB in gzip; our target is ${TARGET_KIB}, Cloudflare takes ${Math.floor(PLATFORM_MAX_BYTES / 1024)}`,
  };
}
