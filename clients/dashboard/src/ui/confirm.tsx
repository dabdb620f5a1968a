// A question before something is lost, in a dialog of the page: Escape and "Cancel" say no.
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";

function Question({ text, yes, answer }: { text: string; yes: string; answer: (said: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="question" aria-label={text} onClose={() => answer(dialog.current?.returnValue === "yes")}>
      <form method="dialog">
        <p>{text}</p>
        <div class="row">
          <span class="spacer" />
          <button value="no">Cancel</button>
          <button class="danger" value="yes">{yes}</button>
        </div>
      </form>
    </dialog>
  );
}

/** Whether the user says so. `yes`: what the button that does it is called. */
export function ask(text: string, yes: string): Promise<boolean> {
  const place = document.body.appendChild(document.createElement("div"));
  return new Promise((resolve) =>
    render(<Question text={text} yes={yes} answer={(said) => { render(null, place); place.remove(); resolve(said); }} />, place));
}
