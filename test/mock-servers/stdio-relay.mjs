/** Relays its standard input and output to the socket at the given path. */
import { connect } from "node:net";

const socket = connect(process.argv[2]);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on("close", () => process.exit(0));
