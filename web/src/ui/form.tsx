import { type ComponentProps, useEffect, useRef } from "react";

interface FormProps extends Omit<ComponentProps<"form">, "onSubmit" | "ref"> {
  readonly onSubmit: () => void;
}

/** A form that the page itself sends. Ctrl+Enter (on a Mac: Cmd+Enter) sends it from any of its fields. */
export function Form({ onSubmit, children, ...rest }: FormProps) {
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const form = element.current;
    if (form === null) return undefined;
    const send = (event: KeyboardEvent): void => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat) return;
      event.preventDefault();
      form.requestSubmit();
    };
    form.addEventListener("keydown", send);
    return () => form.removeEventListener("keydown", send);
  }, []);
  return (
    <form
      {...rest}
      ref={element}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
