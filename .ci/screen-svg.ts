import xterm, { type IBufferCell } from "@xterm/headless";

const cellWidth = 8.4;
const rowHeight = 19;
const margin = 16;
const background = "#1b1d23";
const foreground = "#d6d8de";
/** The 16 colours of a terminal, as this picture shows them. */
const colours =
  "#1b1d23 #e0707a #8fc17a #d9b36c #6ea8e8 #c08adf #62bfc4 #d6d8de #8b909c #ef8a92 #a9d797 #e9c98a #8fbef2 #d3a6ec #82d3d8 #ffffff".split(
    " ",
  );

interface Run {
  readonly at: number;
  readonly style: string;
  text: string;
}

/** Draws what a terminal of this width shows once it was sent all of this, as an SVG. */
export async function screenSvg(sent: string, columns: number, title: string): Promise<string> {
  const terminal = new xterm.Terminal({ cols: columns, rows: 100, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(sent, done));
  const buffer = terminal.buffer.active;
  const rows = Array.from({ length: buffer.cursorY + 1 }, (_, y) => rowOf(buffer.getLine(y), columns));
  const height = rows.length * rowHeight + 2 * margin;
  const width = Math.ceil(columns * cellWidth + 2 * margin);
  const lines = rows.flatMap((runs, y) => runs.map((run) => textOf(run, y)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" rx="10" fill="${background}"/>`,
    `<g font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14">`,
    ...lines,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** Returns the parts of a row that look alike; spaces alone are left out. */
function rowOf(
  line: { getCell(x: number): IBufferCell | undefined } | undefined,
  columns: number,
): readonly Run[] {
  const runs: Run[] = [];
  for (let x = 0; x < columns; x += 1) {
    const cell = line?.getCell(x);
    if (!cell || cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const last = runs.at(-1);
    if (last?.style === style) last.text += cell.getChars() || " ";
    else runs.push({ at: x, style, text: cell.getChars() || " " });
  }
  const shown = runs.map(({ at, style, text }) => {
    const rest = text.trimStart();
    return { at: at + text.length - rest.length, style, text: rest.trimEnd() };
  });
  return shown.filter(({ text }) => text !== "");
}

function styleOf(cell: IBufferCell): string {
  const colour = cell.isFgPalette() ? colours[cell.getFgColor()] : foreground;
  const forms = [
    `fill="${colour ?? foreground}"`,
    ...(cell.isBold() ? ['font-weight="bold"'] : []),
    ...(cell.isItalic() ? ['font-style="italic"'] : []),
    ...(cell.isDim() ? ['opacity="0.65"'] : []),
  ];
  return forms.join(" ");
}

function textOf({ at, style, text }: Run, y: number): string {
  const x = (margin + at * cellWidth).toFixed(1);
  const baseline = margin + y * rowHeight + 14;
  return `<text x="${x}" y="${baseline}" textLength="${([...text].length * cellWidth).toFixed(1)}" ${style}>${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(" ", "\u00a0");
}
