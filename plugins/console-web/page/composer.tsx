import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { say, stop, type Conversation } from "./chat-state.ts";
import type { FileRef } from "./live.ts";
import { dataOf } from "./files.tsx";
import { useDeed, Wrong } from "./parts.tsx";
import { upload } from "./service.ts";
import { texts } from "./texts.ts";

const words = texts.chat;

interface Sent extends FileRef {
  readonly preview: string | undefined;
}

interface ComposerProps {
  readonly one: Conversation;
  readonly begun: () => void;
}

/** The field in which a message is written; pictures come by paste, files by a button. */
export function Composer({ one, begun }: ComposerProps) {
  const text = useSignal("");
  const files = useSignal<readonly Sent[]>([]);
  const deed = useDeed();
  const field = useRef<HTMLTextAreaElement>(null);
  const isRunning = one.isRunning.value;
  const send = (): void => {
    if (isRunning || (text.value.trim() === "" && files.value.length === 0)) return;
    const [message, sent] = [text.value, files.value];
    [text.value, files.value] = ["", []];
    void deed.run(() =>
      say(one, message, sent).catch((error: unknown) => {
        [text.value, files.value] = [message, sent];
        throw error;
      }),
    );
    begun();
    field.current?.focus();
  };
  const add = async (list: Iterable<File>): Promise<void> => {
    for (const file of list) {
      const preview = file.type.startsWith("image/") ? await dataOf(file) : undefined;
      const ref = await upload<FileRef>(`/api/uploads?name=${encodeURIComponent(file.name)}`, file);
      files.value = [...files.value, { ...ref, preview }];
    }
  };
  const halt = (): void => void deed.run(() => stop(one));
  const paste = (event: ClipboardEvent): void => {
    const pasted = [...(event.clipboardData?.files ?? [])];
    if (pasted.length === 0) return;
    event.preventDefault();
    void deed.run(() => add(pasted));
  };
  const drop = (id: string) => () => (files.value = files.value.filter((file) => file.id !== id));
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Wrong deed={deed} />
      {files.value.length > 0 && (
        <ul class="files">
          {files.value.map(({ id, name = words.picture, preview }) => (
            <li key={id} class="chip">
              {preview !== undefined && <img src={preview} alt="" />}
              <span>{name}</span>
              <button type="button" class="plain" aria-label={words.detach(name)} onClick={drop(id)}>
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="field">
        <label class="attach" title={words.attach}>
          <span aria-hidden="true">+</span>
          <span class="hidden">{words.attach}</span>
          <input
            type="file"
            multiple
            onChange={({ currentTarget }) => {
              const chosen = [...(currentTarget.files ?? [])];
              currentTarget.value = "";
              void deed.run(() => add(chosen));
            }}
          />
        </label>
        <textarea
          ref={field}
          rows={1}
          aria-label={words.message}
          placeholder={words.placeholder}
          value={text}
          onPaste={paste}
          onInput={({ currentTarget }) => (text.value = currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape" && isRunning) halt();
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        {isRunning ? (
          <button type="button" class="stop" onClick={halt}>
            {words.stop}
          </button>
        ) : (
          <button class="primary">{words.send}</button>
        )}
      </div>
    </form>
  );
}
