/** A program whose standard input and output are a socket's at the path that it is given: what it says is said elsewhere. */
import { connect } from "node:net";

const socket = connect(process.argv[2]);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on("close", () => process.exit(0));
