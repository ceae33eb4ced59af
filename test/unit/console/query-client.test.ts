import { onlineManager, QueryObserver } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";
import { queryClient } from "../../../web/src/api/query-client.ts";

afterEach(() => {
  onlineManager.setOnline(true);
  queryClient.unmount();
});

test("open queries are read even while the browser believes it is offline, and again afterwards", async () => {
  queryClient.mount();
  onlineManager.setOnline(false);
  const read = vi.fn<() => Promise<string>>(async () => await Promise.resolve("read"));
  const observer = new QueryObserver(queryClient, { queryKey: ["tasks"], queryFn: read, staleTime: 0 });
  const unsubscribe = observer.subscribe(() => undefined);
  await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe("read"));
  expect(read).toHaveBeenCalledTimes(1);
  onlineManager.setOnline(true);
  await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(2));
  unsubscribe();
});
