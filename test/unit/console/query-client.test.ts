import { onlineManager, QueryObserver } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";
import { queryClient } from "../../../web/src/api/query-client.ts";

afterEach(() => {
  onlineManager.setOnline(true);
  queryClient.unmount();
});

test("what is shown is read also while the browser takes itself to be offline, and again when that is over", async () => {
  queryClient.mount();
  onlineManager.setOnline(false);
  const read = vi.fn<() => Promise<string>>(async () => await Promise.resolve("read"));
  const observer = new QueryObserver(queryClient, { queryKey: ["tasks"], queryFn: read, staleTime: 0 });
  const leave = observer.subscribe(() => undefined);
  await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe("read"));
  expect(read).toHaveBeenCalledTimes(1);
  onlineManager.setOnline(true);
  await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(2));
  leave();
});
