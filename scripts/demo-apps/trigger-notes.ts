/** What the demo apps store of triggers and of who has their events. */

export interface DemoTrigger {
  readonly id: string;
  readonly slug: string;
  readonly account: string;
  readonly config: string;
  readonly isEnabled: boolean;
}

export interface DemoSubscription {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly secret: string;
  readonly createdAt: number;
}
