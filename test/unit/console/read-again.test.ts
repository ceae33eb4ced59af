import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { readAgain } from "../../../web/src/api/read-again.ts";

test("a change during a first read is read after it", async () => {
  const queries = new QueryClient();
  let isNew = false;
  const read = vi.fn<() => Promise<string>>(async () => {
    const seen = isNew ? "new" : "old";
    await new Promise((resolve) => setTimeout(resolve, 20));
    return seen;
  });
  const observer = new QueryObserver(queries, { queryKey: ["tasks", "task_1"], queryFn: read });
  const unsubscribe = observer.subscribe(() => undefined);
  isNew = true;
  await readAgain(queries);
  expect(observer.getCurrentResult().data).toBe("new");
  // What was read already is read once.
  read.mockClear();
  await readAgain(queries);
  expect(read).toHaveBeenCalledTimes(1);
  unsubscribe();
});
