/** The fair share of the tenants whose objects live in this process. */
import { FairShare } from "../../core/tenant/fair-share.ts";

export const processShare = new FairShare();
