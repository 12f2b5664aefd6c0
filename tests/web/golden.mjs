// node golden.mjs FOLDER: the hashes of bench/golden.csv by FOLDER/check.wasm.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const { default: createModule } = await import(pathToFileURL(`${folder}/check.mjs`));
const lines = [];
const module = await createModule({ wasmBinary: readFileSync(`${folder}/check.wasm`), print: (line) => lines.push(line) });
const wrong = module._check_golden();
if (wrong !== 0 || lines.length !== 12) {
  console.error(lines.join("\n"));
  process.exit(1);
}
