import * as grammar from "unbash";
import { ask, type Logger, type ToolCall } from "@gantry/sdk";
import { HookTable } from "../../host/plugins/hook-table.ts";
import { blockedFrom } from "../../plugins/guard-commands/blocked.ts";
import { doubtOf, refusalOf } from "../../plugins/guard-commands/decide.ts";
import { readShell } from "../../plugins/guard-commands/reading.ts";
import { atMost, type Row } from "./row.ts";

const SCRIPT = `set -euo pipefail
for file in $(git ls-files '*.ts' | grep -v test); do
  lines=$(wc -l < "$file")
  if [[ "$lines" -gt 150 && -f "$file" ]]; then
    echo "$file: $lines lines" | tee -a report.txt
    sed -n '1,5p' "$file" | awk '{ print NR ": " $0 }'
  fi
done
find src -type f -name '*.js' -newer report.txt -exec grep -l 'TODO' {} + | sort | uniq -c | head -n 20
total=0
while read -r name size; do
  total=$((total + size))
  case "$name" in
    *.md) echo "docs: $name" ;;
    *.ts | *.tsx) env LC_ALL=C sort "$name" > "/dev/null" ;;
    *) timeout 5 cat "$name" | xargs -n 1 basename ;;
  esac
done < sizes.txt
summary() { printf '%s: %d\\n' "$1" "$2"; }
summary total "$total" && sh -c 'ls -la | tail -n 3'
cat <<EOF > notes.txt
Made on $(date +%F) by \${USER:-nobody} in $(pwd)
EOF
diff <(sort notes.txt) <(sort report.txt) || echo "they differ: $?"
git add -A && git commit -q -m "Update the report" && git log --oneline | head -n 1
tar -czf out.tgz report.txt notes.txt && mkdir -p old && mv out.tgz old/
`;

/** Microseconds, the median of batches, once the engine has compiled what it runs. */
async function micros(batches: number, size: number, work: () => unknown): Promise<number> {
  for (let n = 0; n < 2_000; n++) await work();
  const taken: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const start = performance.now();
    for (let n = 0; n < size; n++) await work();
    taken.push(((performance.now() - start) * 1_000) / size);
  }
  return taken.toSorted((a, b) => a - b)[batches >> 1]!;
}

/** Reading a script and deciding on it, nothing remembered. */
async function benchPolicy(): Promise<Row> {
  const blocked = blockedFrom(["sudo", "su", "dd", "mkfs", "git push"]);
  const decide = () => {
    const reading = readShell(SCRIPT, grammar);
    return refusalOf(reading, blocked) ?? doubtOf(reading);
  };
  const taken = await micros(400, 5, decide);
  return atMost(
    `policy check of a script of ${SCRIPT.length} bytes, median`,
    taken,
    Math.round((100 * SCRIPT.length) / 1_000),
    " µs",
  );
}

async function benchTenGuards(): Promise<Row> {
  const log: Logger = { debug() {}, info() {}, warn() {}, error() {} };
  const hooks = new HookTable(log);
  const question = ask({ code: "BENCH", message: "asks" });
  for (let n = 0; n < 10; n++)
    hooks.add(`guard-${n}`, "beforeToolCall", (call: ToolCall) =>
      call.tool === "other" ? question : undefined,
    );
  const effects = { paths: [], commands: [], urls: [] };
  const call: ToolCall = {
    id: "1",
    tool: "file_read",
    args: {},
    effects,
    session: "s",
    user: "cli:u",
    cwd: "/",
    trust: "owner",
    dryRun: false,
  };
  return atMost(
    "beforeToolCall with ten guards, median",
    await micros(400, 50, () => hooks.guard("beforeToolCall", call)),
    20,
    " µs",
  );
}

export async function guardRows(): Promise<readonly Row[]> {
  return [await benchPolicy(), await benchTenGuards()];
}
