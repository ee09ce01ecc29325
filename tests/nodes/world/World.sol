// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// The contracts of the small world. Arguments are single words, so that a caller needs no ABI encoder.

contract Coin {
    string public constant name = "World Coin";
    string public constant symbol = "WRLD";
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error InsufficientBalance(address owner, uint256 balance, uint256 needed);

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        uint256 balance = balanceOf[from];
        if (balance < value) revert InsufficientBalance(from, balance, value);
        balanceOf[from] = balance - value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// EIP-1967: its slot names the implementation.
contract Proxy {
    constructor(address implementation, address to, uint256 value) {
        assembly {
            sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, implementation)
        }
        (bool ok, ) = implementation.delegatecall(abi.encodeCall(Coin.mint, (to, value)));
        require(ok);
    }

    fallback() external payable {
        assembly {
            let target := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

/// Metadata: plain JSON for odd ids, base64 for 2, ipfs for 4, a revert for 6.
contract Panes {
    string public constant name = "Panes";
    string public constant symbol = "PANE";
    mapping(uint256 => address) private owners;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f;
    }

    function ownerOf(uint256 id) external view returns (address owner) {
        owner = owners[id];
        require(owner != address(0), "Panes: no such token");
    }

    function tokenURI(uint256 id) external pure returns (string memory) {
        require(id != 6, "Panes: frosted");
        if (id == 2) return "data:application/json;base64,eyJuYW1lIjoiUGFuZSAyIn0=";
        if (id == 4) return "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/4";
        bytes1 digit = bytes1(uint8(48 + (id % 10)));
        return string.concat('data:application/json,{"name":"Pane ', string(abi.encodePacked(digit)), '"}');
    }

    function mint(address to, uint256 id) external {
        move(address(0), to, id);
    }

    function transferFrom(address from, address to, uint256 id) external {
        require(msg.sender == from, "Panes: not yours");
        move(from, to, id);
    }

    function burn(uint256 id) external {
        move(msg.sender, address(0), id);
    }

    function move(address from, address to, uint256 id) private {
        require(owners[id] == from, "Panes: not the owner");
        owners[id] = to;
        if (from != address(0)) balanceOf[from]--;
        if (to != address(0)) balanceOf[to]++;
        emit Transfer(from, to, id);
    }
}

contract Pots {
    mapping(address => mapping(uint256 => uint256)) private balances;

    event TransferSingle(
        address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value
    );
    event TransferBatch(
        address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values
    );

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26 || id == 0x0e89341c;
    }

    function uri(uint256) external pure returns (string memory) {
        return 'data:application/json,{"name":"Pot {id}"}';
    }

    function balanceOf(address owner, uint256 id) external view returns (uint256) {
        return balances[owner][id];
    }

    function mint(address to, uint256 id, uint256 value) external {
        balances[to][id] += value;
        emit TransferSingle(msg.sender, address(0), to, id, value);
    }

    /// `value` of each id from `first` on.
    function mintBatch(address to, uint256 first, uint256 count, uint256 value) external {
        uint256[] memory ids = new uint256[](count);
        uint256[] memory values = new uint256[](count);
        for (uint256 i; i < count; i++) {
            (ids[i], values[i]) = (first + i, value);
            balances[to][first + i] += value;
        }
        emit TransferBatch(msg.sender, address(0), to, ids, values);
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes calldata) external {
        require(msg.sender == from, "Pots: not yours");
        balances[from][id] -= value;
        balances[to][id] += value;
        emit TransferSingle(msg.sender, from, to, id, value);
    }

    function burnBatch(uint256 first, uint256 count, uint256 value) external {
        uint256[] memory ids = new uint256[](count);
        uint256[] memory values = new uint256[](count);
        for (uint256 i; i < count; i++) {
            (ids[i], values[i]) = (first + i, value);
            balances[msg.sender][first + i] -= value;
        }
        emit TransferBatch(msg.sender, msg.sender, address(0), ids, values);
    }
}

/// Used behind EIP-1167 clones.
contract Clonable {
    string public name;
    string public constant symbol = "CLN";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function init(address to, uint256 value) external {
        require(totalSupply == 0, "Clonable: done");
        name = "Clone";
        totalSupply = value;
        balanceOf[to] = value;
        emit Transfer(address(0), to, value);
    }
}

contract Child {
    uint256 public number;
    address public immutable parent = msg.sender;

    constructor(uint256 n) payable {
        require(n != 13, "Child: unlucky");
        number = n;
    }

    function end(address payable to) external {
        selfdestruct(to);
    }
}

contract Factory {
    event Made(address child);

    function make(uint256 number) external payable {
        emit Made(address(new Child{value: msg.value}(number)));
    }

    function make2(uint256 number, bytes32 salt) external payable {
        emit Made(address(new Child{value: msg.value, salt: salt}(number)));
    }

    function makeAndEnd(address payable to) external payable {
        Child child = new Child{value: msg.value}(1);
        emit Made(address(child));
        child.end(to);
    }

    /// The constructor fails; what comes after it does not.
    function makeUnlucky() external returns (bool made) {
        try new Child(13) {
            made = true;
        } catch {
            emit Made(address(new Child(14)));
        }
    }

    function clone(address target, address to, uint256 value) external {
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", target, hex"5af43d82803e903d91602b57fd5bf3"
        );
        address made;
        assembly {
            made := create(0, add(code, 32), mload(code))
        }
        Clonable(made).init(to, value);
        emit Made(made);
    }
}

contract Thrower {
    error Forbidden(address who, uint256 level);

    uint256 public count;

    function reason() external {
        count++;
        revert("Thrower: on purpose");
    }

    function custom() external {
        count++;
        revert Forbidden(msg.sender, 42);
    }

    function panic(uint256 divisor) external returns (uint256) {
        count++;
        return 1 / divisor;
    }

    function nothing() external {
        count++;
        revert();
    }

    function invalid() external {
        count++;
        assembly {
            invalid()
        }
    }
}

contract Caller {
    event Caught(bytes data);

    receive() external payable {}

    function split(address payable a, address payable b) external payable {
        a.transfer(msg.value / 2);
        (bool ok, ) = b.call{value: msg.value - msg.value / 2}("");
        require(ok);
    }

    /// Calls what fails in each way and goes on.
    function catchAll(Thrower thrower) external payable {
        (bool paid, ) = address(thrower).call{value: msg.value}("");
        require(!paid);
        try thrower.reason() {} catch (bytes memory data) { emit Caught(data); }
        try thrower.custom() {} catch (bytes memory data) { emit Caught(data); }
        try thrower.panic(0) {} catch (bytes memory data) { emit Caught(data); }
        try thrower.nothing() {} catch (bytes memory data) { emit Caught(data); }
        try thrower.invalid{gas: 30000}() {} catch (bytes memory data) { emit Caught(data); }
    }

    /// Call, static call, delegate call and a precompile, three deep.
    function mixed(Coin coin, address other, uint256 depth) external returns (uint256 sum) {
        sum = coin.balanceOf(address(this)) + uint256(sha256("mixed"));
        if (depth == 0) return sum % 1000;
        (bool ok, ) = address(this).delegatecall(abi.encodeCall(this.mixed, (coin, other, depth - 1)));
        require(ok);
        sum = this.mixed(coin, other, depth - 1);
        coin.mint(other, depth);
    }
}

contract Talker {
    address private constant CONSOLE = 0x000000000000000000636F6e736F6c652e6c6f67;

    function print(bytes memory line) private view {
        (bool ok, ) = CONSOLE.staticcall(line);
        ok;
    }

    /// Prints what each node knows.
    function talk(uint256 number) external {
        print(abi.encodeWithSignature("log(string)", "hello"));
        print(abi.encodeWithSignature("log(string,uint256)", "number", number));
        print(abi.encodeWithSignature("log(uint256)", number));
        print(abi.encodeWithSignature("log(address,bool)", msg.sender, true));
        print(abi.encodeWithSignature("log(string,string)", "a format: %s", "value"));
        try this.fail() {} catch {}
    }

    function fail() external view {
        print(abi.encodeWithSignature("log(string)", "before the revert"));
        revert("Talker: silence");
    }

    /// Prints as Hardhat's console does, in which numbers are `uint`, and what is no line at all.
    function mumble(uint256 number) external {
        print(abi.encodeWithSignature("log(string,uint)", "number", number));
        print(abi.encodeWithSignature("log(uint)", number));
        print(abi.encodeWithSignature("logBytes(bytes)", hex"00ff"));
        print(hex"");
        print(hex"deadbeef");
    }
}
