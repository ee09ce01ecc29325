// SPDX-License-Identifier: MIT
pragma solidity 0.8.26;

// Tokens that are not what their events say, or that say less than they should.

/// As the contract that wraps ether on mainnet: what it mints and burns has events of its own.
contract Wrapped {
    string public constant name = "Wrapped Ether";
    string public constant symbol = "WETH";
    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed src, address indexed dst, uint256 wad);
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);

    function totalSupply() external view returns (uint256) {
        return address(this).balance;
    }

    function deposit() external payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 wad) external {
        balanceOf[msg.sender] -= wad;
        payable(msg.sender).transfer(wad);
        emit Withdrawal(msg.sender, wad);
    }

    function transfer(address dst, uint256 wad) external returns (bool) {
        balanceOf[msg.sender] -= wad;
        balanceOf[dst] += wad;
        emit Transfer(msg.sender, dst, wad);
        return true;
    }
}

/// Wraps what it is sent and passes it on, so that it has gained and lost nothing.
contract Router {
    function wrapAndSend(Wrapped weth, address to) external payable {
        weth.deposit{value: msg.value}();
        weth.transfer(to, msg.value);
    }
}

/// Its events move what its balances keep.
contract Fake {
    string public constant name = "Fake Dollar";
    string public constant symbol = "FUSD";
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function pretend(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }
}

/// Emits the event of an NFT, and is nothing.
contract FakePane {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    function pretend(address to, uint256 id) external {
        emit Transfer(address(0), to, id);
    }
}

/// An ERC-20 token that emits the event of an NFT too.
contract Ambiguous {
    string public constant name = "Ambiguous";
    string public constant symbol = "AMB";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function pretend(address to, uint256 id) external {
        assembly {
            log4(0, 0, 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef, 0, to, id)
        }
    }
}

/// Mints its NFTs in one event (ERC-2309).
contract Consecutive {
    string public constant name = "Consecutive";
    string public constant symbol = "CON";
    uint256 public totalSupply;
    address private immutable creator;
    mapping(uint256 => address) private owners;
    mapping(address => uint256) public balanceOf;

    event ConsecutiveTransfer(
        uint256 indexed fromTokenId, uint256 toTokenId, address indexed fromAddress, address indexed toAddress
    );
    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    constructor(address to, uint256 count) {
        creator = to;
        totalSupply = count;
        balanceOf[to] = count;
        emit ConsecutiveTransfer(0, count - 1, address(0), to);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd;
    }

    function ownerOf(uint256 id) public view returns (address) {
        require(id < totalSupply, "Consecutive: no such id");
        return owners[id] == address(0) ? creator : owners[id];
    }

    function transferFrom(address from, address to, uint256 id) external {
        require(msg.sender == from && ownerOf(id) == from, "Consecutive: not yours");
        owners[id] = to;
        balanceOf[from]--;
        balanceOf[to]++;
        emit Transfer(from, to, id);
    }
}

/// Tokens of old templates: what the constructor and `issue` mint has no event, and no argument of
/// the others is indexed.
contract Old {
    string public constant name = "Old";
    string public constant symbol = "OLD";
    uint8 public constant decimals = 2;
    uint256 public totalSupply;
    address public owner;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(address treasury, uint256 value) {
        owner = treasury;
        totalSupply = 3 * value;
        balanceOf[msg.sender] = value;
        balanceOf[treasury] = 2 * value;
    }

    function issue(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
    }

    function transfer(address to, uint256 value) external {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }
}

/// Assigns its items as CryptoPunks did.
contract Punks {
    string public constant name = "PUNKS";
    string public constant symbol = "P";
    uint8 public constant decimals = 0;
    uint256 public constant totalSupply = 100;
    mapping(uint256 => address) public punkIndexToAddress;
    mapping(address => uint256) public balanceOf;

    event Assign(address indexed to, uint256 punkIndex);
    event Transfer(address indexed from, address indexed to, uint256 value);
    event PunkTransfer(address indexed from, address indexed to, uint256 punkIndex);

    function setInitialOwner(address to, uint256 index) external {
        punkIndexToAddress[index] = to;
        balanceOf[to]++;
        emit Assign(to, index);
    }

    function transferPunk(address to, uint256 index) external {
        require(punkIndexToAddress[index] == msg.sender);
        punkIndexToAddress[index] = to;
        balanceOf[msg.sender]--;
        balanceOf[to]++;
        emit Transfer(msg.sender, to, 1);
        emit PunkTransfer(msg.sender, to, index);
    }
}

/// Broken metadata: decimals that never come, a name that reverts, a symbol of 32 bytes.
contract Looping {
    bytes32 public constant symbol = "LOOP";
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function name() external pure returns (string memory) {
        revert("Looping: no name");
    }

    function decimals() external pure returns (uint8) {
        while (true) {}
        return 0;
    }

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }
}

/// A beacon, and what it leads to.
contract Beacon {
    address public implementation;

    constructor(address target) {
        implementation = target;
    }
}

/// The slot of EIP-1967 has the beacon.
contract BeaconProxy {
    constructor(address beacon) {
        assembly {
            sstore(0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50, beacon)
        }
    }
}
