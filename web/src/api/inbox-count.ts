/** How many questions, approvals and unknown outcomes wait for a person: the badge at the inbox. */
import { useQuery } from "@tanstack/react-query";
import { readShortInbox } from "./inbox.ts";

/** A hidden window reads it now and then, for the notifications. */
const READ_AGAIN_MS = 30_000;

export function useInboxCount(): number {
  const { data } = useQuery({
    queryKey: ["inbox", "count"],
    queryFn: async () => await readShortInbox({ limit: 1 }),
    refetchInterval: READ_AGAIN_MS,
    refetchIntervalInBackground: true,
  });
  return data?.total ?? 0;
}
