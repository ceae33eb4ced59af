import { useState } from "react";
import { stopNotifications, useNotificationChoice, wantNotifications } from "../../shell/notification-choice.ts";
import { CheckField } from "../../ui/field.tsx";

const HINTS = {
  on: "While this window is hidden, your system says that something waits; never what it is about.",
  off: undefined,
  denied: "Your browser was told not to show any from here. Allow them in its settings for this site.",
  unable: "Your browser shows none here: the address must be secure, and storage allowed.",
} as const;

export function NotificationSwitch() {
  const choice = useNotificationChoice();
  const [isAsking, setAsking] = useState(false);
  const turn = async (isWanted: boolean): Promise<void> => {
    if (!isWanted) return stopNotifications();
    setAsking(true);
    try {
      await wantNotifications();
    } finally {
      setAsking(false);
    }
  };
  return (
    <CheckField
      label="Notify me on this computer"
      checked={choice === "on"}
      disabled={isAsking || choice === "denied" || choice === "unable"}
      onChange={({ target }) => void turn(target.checked)}
      hint={HINTS[choice]}
    />
  );
}
