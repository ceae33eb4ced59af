/** The end of a list that comes in pages. */
import { Button } from "./button.tsx";

/** `shown` is how many there are so far. Nothing when the list is whole. */
export function More({
  hasMore,
  isBusy,
  onMore,
  shown,
}: {
  readonly hasMore: boolean;
  readonly isBusy: boolean;
  readonly onMore: () => void;
  readonly shown: number;
}) {
  if (!hasMore) return null;
  return (
    <div className="flex items-center justify-center gap-3 py-2">
      <Button isBusy={isBusy} onClick={onMore}>
        Show more
      </Button>
      <span className="text-sm text-quiet">{shown} shown</span>
    </div>
  );
}
