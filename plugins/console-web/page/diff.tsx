/** A change to a file, as a unified diff. */
export function Diff({ text, label }: { readonly text: string; readonly label?: string }) {
  return (
    <pre class="diff" tabIndex={0} {...(label && { role: "region", "aria-label": label })}>
      {text.split("\n").map((line, at) => (
        <span key={at} class={kindOf(line)}>
          {line}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}

function kindOf(line: string): string {
  if (line.startsWith("@@") || line.startsWith("---") || line.startsWith("+++")) return "place";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "gone" : "";
}
